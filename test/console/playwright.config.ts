import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { chromiumLaunch } from '../support/chromium.ts';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  globalSetup: './support/global-setup.ts',
  outputDir: join(import.meta.dirname, '../../node_modules/.cache/console-specs'),
  reporter: 'dot',
  reportSlowTests: null,
  workers: 2,
  fullyParallel: true,
  retries: 0,
  forbidOnly: true,
  // All that a page waits for happens on this machine, so these are enough even if it is busy.
  timeout: 60_000,
  globalTimeout: 15 * 60_000,
  expect: { timeout: 20_000 },
  use: {
    launchOptions: chromiumLaunch,
    viewport: { width: 1280, height: 900 },
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
  },
});
