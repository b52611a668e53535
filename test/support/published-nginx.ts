import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { type Nginx, nginxIsMissing, startNginx } from './nginx.ts';
import { isMissing } from './proxy-process.ts';
import { replaceEach } from './replace-each.ts';

const docs = join(import.meta.dir, '../../docs');

/** nginx with the site of docs/deploy/nginx.conf, and other addresses and files. */
export interface PublishedNginx extends Nginx {
  readonly httpPort: number;
  readonly tlsPort: number;
  /** A self-signed certificate of `animals.example`. */
  readonly certificate: string;
}

/** Changes the site for a test. */
export type Change = (site: string) => string;

/** The reason why it cannot run on this machine, or undefined if it can. */
export function publishedNginxIsMissing(): string | undefined {
  return nginxIsMissing() ?? isMissing('openssl', 'openssl');
}

/** Starts it before one server. */
export function startPublishedNginx(
  serverPort: number,
  change: Change = (site) => site,
): Promise<PublishedNginx> {
  return startSite((site) =>
    replaceEach(change(site), [['127.0.0.1:8080', `127.0.0.1:${serverPort}`]]),
  );
}

interface NginxBeforeTwo extends PublishedNginx {
  /** Makes nginx send no new requests to one of the servers until it is brought back. */
  takeOut(index: 0 | 1): void;
  bringBack(index: 0 | 1): void;
  /** Takes one server out and brings the other one back, at one moment. */
  takeOutInstead(index: 0 | 1): void;
}

/** Starts it before two servers, as docs/operations.md describes. */
export async function startNginxBeforeTwo(
  [first, second]: readonly [number, number],
  change: Change = (site) => site,
): Promise<NginxBeforeTwo> {
  const upstreams = readFileSync(join(docs, 'deploy/nginx-two-servers.conf'), 'utf8');
  const operations = readFileSync(join(docs, 'operations.md'), 'utf8');
  const [, switches = ''] = /^```nginx\n([\s\S]*?)^```$/m.exec(operations) ?? [];
  const nginx = await startSite((site, folder) => {
    const upstream = /^upstream [\s\S]*?^map [\s\S]*?^}\n/m.exec(site)?.[0] ?? 'upstream';
    const set = 'set $animal_store_servers animal_store;\n';
    return replaceEach(change(site), [
      [upstream, upstreams],
      [set, set + switches],
      ['127.0.0.1:8081', `127.0.0.1:${first}`],
      ['127.0.0.1:8082', `127.0.0.1:${second}`],
      ['/run/', `${folder}/`],
    ]);
  });
  const fileOf = (index: 0 | 1) => join(nginx.folder, `animal-store-${[8081, 8082][index]}.out`);
  return {
    ...nginx,
    takeOut: (index) => writeFileSync(fileOf(index), ''),
    bringBack: (index) => rmSync(fileOf(index)),
    takeOutInstead: (index) => renameSync(fileOf(index === 0 ? 1 : 0), fileOf(index)),
  };
}

async function startSite(
  change: (site: string, folder: string) => string,
): Promise<PublishedNginx> {
  const httpPort = findFreePort();
  const tlsPort = findFreePort();
  const nginx = await startNginx([httpPort, tlsPort], (folder) => {
    makeCertificate(folder);
    const site = readFileSync(join(docs, 'deploy/nginx.conf'), 'utf8');
    return replaceEach(change(site, folder), [
      ['listen 80;', `listen 127.0.0.1:${httpPort};`],
      ['listen [::]:80;', ''],
      ['listen 443 ', `listen 127.0.0.1:${tlsPort} `],
      ['listen [::]:443 ssl http2;', ''],
      ['/etc/nginx/tls', folder],
      ['/var/log/nginx', folder],
    ]);
  });
  const certificate = readFileSync(join(nginx.folder, 'animals.example.crt'), 'utf8');
  return { ...nginx, httpPort, tlsPort, certificate };
}

/** Created by the commands of docs/deploy/README.md. */
function makeCertificate(folder: string): void {
  const command =
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 ' +
    '-subj /CN=animals.example -addext subjectAltName=DNS:animals.example ' +
    '-keyout animals.example.key -out animals.example.crt';
  const { success, stderr } = Bun.spawnSync(command.split(' '), { cwd: folder });
  if (!success) throw new Error(stderr.toString());
}
