import { afterAll } from 'bun:test';
import { openTestApp, type TestApp } from './test-app.ts';

/** One app for all tests of a file or a group. They store nothing, or only what the others do not mind. */
export async function openSharedApp(
  prepare: (app: TestApp) => Promise<void> = async () => {},
): Promise<TestApp> {
  const opening = openTestApp();
  afterAll(async () => (await opening)[Symbol.asyncDispose]());
  const app = await opening;
  await prepare(app);
  return app;
}
