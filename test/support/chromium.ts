import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

// Runs in Bun and in Node.

const root = join(import.meta.dirname, '../..');
const cacheFolder = join(root, 'node_modules/.cache');
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = join(cacheFolder, `chromium-${devDependencies['@sparticuz/chromium']}`);

/** Names of other machines that every page resolves to this one. */
const namesOfThisMachine = ['shop.lan', 'animals.example'];

/** How the Chromium that `unpackChromium` unpacked is started. */
export const chromiumLaunch = {
  executablePath: join(folder, 'chromium'),
  args: [
    // Chromium's own sandbox does not start for root, and tests in containers often run as root.
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--no-first-run',
    `--host-resolver-rules=${namesOfThisMachine.map((name) => `MAP ${name} 127.0.0.1`).join(', ')}`,
  ],
  env: {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  },
};

/**
 * Unpacks the Chromium that npm installed, once, with the libraries and fonts that a bare machine lacks. The package
 * would unpack into the shared /tmp, and keep an incomplete file for ever if the first run is interrupted. Here the
 * folder gets its name only when it is complete.
 */
export async function unpackChromium(): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(cacheFolder, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const unpack = "import('@sparticuz/chromium').then((module) => module.default.executablePath())";
  await promisify(execFile)(process.execPath, ['--eval', unpack], {
    cwd: import.meta.dirname,
    // The package unpacks its libraries only if this variable names their runtime.
    env: { PATH: process.env.PATH, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
  });
  writeFileSync(
    join(unfinished, 'fonts.conf'),
    `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  );
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another run was faster. Its folder is equal.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
