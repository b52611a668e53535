import { join } from 'node:path';

/** The folder of Debian for programs such as initdb and pg_basebackup, which Patroni runs. */
export const postgresPrograms = '/usr/lib/postgresql/15/bin';

export interface PatroniPorts {
  readonly postgres: number;
  /** The port of the REST API of Patroni. */
  readonly rest: number;
  readonly etcd: number;
}

/** The configuration of one node. JSON is also YAML. */
export function configurationOf(name: string, folder: string, ports: PatroniPorts) {
  const postgresAddress = `127.0.0.1:${ports.postgres}`;
  const restAddress = `127.0.0.1:${ports.rest}`;
  return {
    scope: 'animals',
    name,
    restapi: { listen: restAddress, connect_address: restAddress },
    etcd3: { hosts: [`127.0.0.1:${ports.etcd}`] },
    bootstrap: {
      dcs: {
        // The smallest values that Patroni accepts.
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            // Shared memory of a killed server then is in its folder, which the test removes.
            dynamic_shared_memory_type: 'mmap',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      listen: postgresAddress,
      connect_address: postgresAddress,
      data_dir: join(folder, 'data'),
      bin_dir: postgresPrograms,
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      basebackup: [{ checkpoint: 'fast' }],
      parameters: { unix_socket_directories: '' },
      pg_hba: [
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
      ],
    },
  };
}
