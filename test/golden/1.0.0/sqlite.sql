PRAGMA application_id = 1095652146;
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  schema_digest TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  unfinished_copy_of TEXT,
  environment TEXT CHECK (environment IN ('production', 'staging')),
  next_workspace_id INTEGER NOT NULL,
  next_api_key_id INTEGER NOT NULL,
  audit_count INTEGER NOT NULL,
  audit_digest TEXT NOT NULL
) STRICT;
CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  next_pet_id INTEGER NOT NULL DEFAULT 1,
  next_category_id INTEGER NOT NULL DEFAULT 1,
  next_order_id INTEGER NOT NULL DEFAULT 1,
  next_event_sequence INTEGER NOT NULL DEFAULT 1,
  available_count INTEGER NOT NULL DEFAULT 0,
  pending_count INTEGER NOT NULL DEFAULT 0,
  sold_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE pets (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pets_by_status ON pets (workspace_id, status, id, name, category_id);
CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id, name);
CREATE TABLE categories (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  digest TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE orders (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
  ship_date INTEGER,
  note TEXT,
  digest TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX orders_by_status ON orders (workspace_id, status, id, pet_id, ship_date);
CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id, ship_date);
CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';
CREATE TABLE events (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  sequence INTEGER NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
  type TEXT NOT NULL,
  record_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (workspace_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_record ON events (workspace_id, record_id, type, sequence);
CREATE TABLE idempotency_keys (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  operation_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  ok TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, operation_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate_limit TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_revoked INTEGER NOT NULL CHECK (is_revoked IN (0, 1)),
  last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);
CREATE TABLE deprecated_calls (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  api_key_id INTEGER NOT NULL,
  operation_id TEXT NOT NULL,
  call_count INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, api_key_id, operation_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_entries (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  event TEXT NOT NULL,
  details TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE ON audit_entries
BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END;
CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries
BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END;
CREATE TABLE console_tokens (
  digest TEXT NOT NULL PRIMARY KEY,
  is_link INTEGER NOT NULL CHECK (is_link IN (0, 1)),
  workspace_id INTEGER NOT NULL,
  api_key_digest TEXT,
  created_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);
CREATE INDEX console_tokens_by_api_key ON console_tokens (api_key_digest, created_at, digest);
CREATE INDEX console_tokens_by_workspace ON console_tokens (workspace_id, created_at, digest);
INSERT INTO meta (id, schema_version, schema_digest, writer_version, unfinished_copy_of, environment, next_workspace_id, next_api_key_id, audit_count, audit_digest) VALUES (1, 1, '90d180add82cea3a', 1, NULL, 'production', 4, 8, 13, '91506730cb36b4232ef5d0a48b4f02a1020421cbdae13b2eba15e894b7fe5df6');
INSERT INTO workspaces (id, name, version, next_pet_id, next_category_id, next_order_id, next_event_sequence, available_count, pending_count, sold_count, created_at) VALUES (1, 'default', 13234116, 13, 3, 5, 37, 5, 4, 2, 1795460217552);
INSERT INTO workspaces (id, name, version, next_pet_id, next_category_id, next_order_id, next_event_sequence, available_count, pending_count, sold_count, created_at) VALUES (2, 'shop', 1926237, 3, 1, 2, 5, 1, 1, 0, 1795460217696);
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 1, 'Rex', -9223372036854775808, 'pending');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 7, 'ß ẞ ı İ ﬁ ς Σ', -9223372036854775808, 'sold');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 10, 'مرحبا が', -1, 'available');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 4, 'O''Malley \ "quoted" \x41 {a,b} %s $1', -1, 'pending');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 9, '􏿿� ‮', 0, 'pending');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 3, 'é is not é', 0, 'sold');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 6, '﻿NULL', 3, 'pending');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 5, ' Rex ', 9007199254740993, 'available');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 11, '😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀', 9007199254740993, 'available');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 2, 'Müsli the Second', 9223372036854775807, 'available');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 8, '👩‍👩‍👧‍👦', 9223372036854775807, 'available');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (2, 1, 'Ada', 7, 'pending');
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (2, 2, 'Bo', 9223372036854775807, 'available');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, -9223372036854775808, 'Number -9223372036854775808', NULL, '31eff1ee8b058ec8');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, -1, 'Number -1', NULL, 'bbb9dbcb9cf6a386');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, 0, 'Number 0', NULL, '5feaa79375ebbe9e');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, 1, 'Dogs', 'They bark:
	"wuff" 🐕
', '4aad8b54ada95347');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, 3, 'Number 3', NULL, '9e0a59be3e52e7bb');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, 9007199254740993, 'Number 9007199254740993', NULL, '87b11984b3f39472');
INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, 9223372036854775807, 'Number 9223372036854775807', NULL, 'e574e2fac7c2098e');
INSERT INTO orders (workspace_id, id, pet_id, status, ship_date, note, digest) VALUES (1, 1, 1, 'pending', NULL, 'For Zoë̈, “on Monday”
— ring twice 🔔', 'b27cd36e831255a3');
INSERT INTO orders (workspace_id, id, pet_id, status, ship_date, note, digest) VALUES (1, 2, 3, 'shipped', 1798099200500, 'For Zoë̈, “on Monday”
— ring twice 🔔', 'f7342e9e3547a5b5');
INSERT INTO orders (workspace_id, id, pet_id, status, ship_date, note, digest) VALUES (1, 3, 5, 'cancelled', NULL, 'O''Malley', 'd2bcc4489bbec44a');
INSERT INTO orders (workspace_id, id, pet_id, status, ship_date, note, digest) VALUES (1, 4, 6, 'pending', NULL, NULL, NULL);
INSERT INTO orders (workspace_id, id, pet_id, status, ship_date, note, digest) VALUES (2, 1, 1, 'pending', NULL, NULL, NULL);
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 1, 'pet.created', 1, 1795460219421, '{"id":"evt_1_EdfHeYhS","sequence":1,"type":"pet.created","timestamp":"2026-11-23T18:56:59.421Z","requestId":"01a209c4-c21d-770d-b828-6a5f0155408a","actor":"key:1","data":{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 2, 'pet.created', 2, 1795460219428, '{"id":"evt_2_bZdBbN3t","sequence":2,"type":"pet.created","timestamp":"2026-11-23T18:56:59.428Z","requestId":"01a209c4-c224-70d1-9988-89e313fd2d76","actor":"key:1","data":{"id":2,"name":"Müsli","categoryId":9223372036854775807,"status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 3, 'pet.created', 3, 1795460219429, '{"id":"evt_3_WfsdNhwH","sequence":3,"type":"pet.created","timestamp":"2026-11-23T18:56:59.429Z","requestId":"01a209c4-c225-7427-8166-74948a729d1e","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 4, 'pet.created', 4, 1795460219430, '{"id":"evt_4_6eJO9hhf","sequence":4,"type":"pet.created","timestamp":"2026-11-23T18:56:59.430Z","requestId":"01a209c4-c226-748d-9281-4d15782c150e","actor":"key:1","data":{"id":4,"name":"O''Malley \\ \"quoted\" \\x41 {a,b} %s $1","categoryId":-1,"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 5, 'pet.created', 5, 1795460219431, '{"id":"evt_5_24E6IM0y","sequence":5,"type":"pet.created","timestamp":"2026-11-23T18:56:59.431Z","requestId":"01a209c4-c227-77aa-b81b-8308dd8d352c","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 6, 'pet.created', 6, 1795460219432, '{"id":"evt_6_Wbowv5qq","sequence":6,"type":"pet.created","timestamp":"2026-11-23T18:56:59.432Z","requestId":"01a209c4-c228-709a-a1ae-546e38bc9aa3","actor":"key:1","data":{"id":6,"name":"﻿NULL","categoryId":3,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 7, 'pet.created', 7, 1795460219433, '{"id":"evt_7_9nfTEHmQ","sequence":7,"type":"pet.created","timestamp":"2026-11-23T18:56:59.433Z","requestId":"01a209c4-c229-7703-84d8-d95f9891441e","actor":"key:1","data":{"id":7,"name":"ß ẞ ı İ ﬁ ς Σ","categoryId":-9223372036854775808,"status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 8, 'pet.created', 8, 1795460219435, '{"id":"evt_8_8Z9I4B29","sequence":8,"type":"pet.created","timestamp":"2026-11-23T18:56:59.435Z","requestId":"01a209c4-c22b-74ea-984f-91cf8fe3516d","actor":"key:1","data":{"id":8,"name":"👩‍👩‍👧‍👦","categoryId":9223372036854775807,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 9, 'pet.created', 9, 1795460219436, '{"id":"evt_9_D525SI0r","sequence":9,"type":"pet.created","timestamp":"2026-11-23T18:56:59.436Z","requestId":"01a209c4-c22c-7724-abcd-96790fc8d924","actor":"key:1","data":{"id":9,"name":"􏿿� ‮","categoryId":0,"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 10, 'pet.created', 10, 1795460219437, '{"id":"evt_10_YY2iVCo8","sequence":10,"type":"pet.created","timestamp":"2026-11-23T18:56:59.437Z","requestId":"01a209c4-c22d-7349-b9dc-2494176adc18","actor":"key:1","data":{"id":10,"name":"مرحبا が","categoryId":-1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 11, 'pet.created', 11, 1795460219438, '{"id":"evt_11_2TRseqbN","sequence":11,"type":"pet.created","timestamp":"2026-11-23T18:56:59.438Z","requestId":"01a209c4-c22e-7032-91cf-a6313e082bbb","actor":"key:1","data":{"id":11,"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","categoryId":9007199254740993,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 12, 'pet.created', 12, 1795460219439, '{"id":"evt_12_dLX87TR3","sequence":12,"type":"pet.created","timestamp":"2026-11-23T18:56:59.439Z","requestId":"01a209c4-c22f-76a2-911c-3ff4b4e5643f","actor":"key:1","data":{"id":12,"name":"Gone","categoryId":1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 13, 'pet.updated', 2, 1795460219440, '{"id":"evt_13_Xlgmd2aG","sequence":13,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.440Z","requestId":"01a209c4-c230-729b-a6d3-1a6f0f6dd985","actor":"key:1","data":{"id":2,"name":"Müsli the Second","categoryId":9223372036854775807,"status":"available"},"previous":{"name":"Müsli","status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 14, 'pet.deleted', 12, 1795460219444, '{"id":"evt_14_Zqy1uyh7","sequence":14,"type":"pet.deleted","timestamp":"2026-11-23T18:56:59.444Z","requestId":"01a209c4-c234-7516-8865-9756f5cf4300","actor":"key:1","data":{"id":12,"name":"Gone","categoryId":1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 15, 'category.created', 1, 1795460219445, '{"id":"evt_15_2rWbrjgM","sequence":15,"type":"category.created","timestamp":"2026-11-23T18:56:59.445Z","requestId":"01a209c4-c235-7406-8380-b7293edf0b54","actor":"key:1","data":{"id":1,"name":"Dogs","description":"They bark:\n\t\"wuff\" 🐕\n"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 16, 'category.created', -9223372036854775808, 1795460219447, '{"id":"evt_16_ZHE5zD9K","sequence":16,"type":"category.created","timestamp":"2026-11-23T18:56:59.447Z","requestId":"01a209c4-c237-7629-8adc-d54e4ec85d89","actor":"key:1","data":{"id":-9223372036854775808,"name":"Number -9223372036854775808"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 17, 'category.created', 9223372036854775807, 1795460219449, '{"id":"evt_17_Y0q5i4wP","sequence":17,"type":"category.created","timestamp":"2026-11-23T18:56:59.449Z","requestId":"01a209c4-c239-7396-a668-91b0f6fc77b7","actor":"key:1","data":{"id":9223372036854775807,"name":"Number 9223372036854775807"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 18, 'category.created', 0, 1795460219450, '{"id":"evt_18_ZnwLTxCT","sequence":18,"type":"category.created","timestamp":"2026-11-23T18:56:59.450Z","requestId":"01a209c4-c23a-775a-a9ed-8e652a56837a","actor":"key:1","data":{"id":0,"name":"Number 0"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 19, 'category.created', -1, 1795460219451, '{"id":"evt_19_9sx4lBM1","sequence":19,"type":"category.created","timestamp":"2026-11-23T18:56:59.451Z","requestId":"01a209c4-c23b-7181-ac11-ff95276f0741","actor":"key:1","data":{"id":-1,"name":"Number -1"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 20, 'category.created', 9007199254740993, 1795460219453, '{"id":"evt_20_P6oiBwLP","sequence":20,"type":"category.created","timestamp":"2026-11-23T18:56:59.453Z","requestId":"01a209c4-c23d-75ca-9f02-3921b2b4967d","actor":"key:1","data":{"id":9007199254740993,"name":"Number 9007199254740993"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 21, 'category.created', 3, 1795460219457, '{"id":"evt_21_NmpvN5La","sequence":21,"type":"category.created","timestamp":"2026-11-23T18:56:59.457Z","requestId":"01a209c4-c241-77a6-9fc4-60667bf1a76b","actor":"key:1","data":{"id":3,"name":"Number 3"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 22, 'category.created', 2, 1795460219461, '{"id":"evt_22_UtTrgzsQ","sequence":22,"type":"category.created","timestamp":"2026-11-23T18:56:59.461Z","requestId":"01a209c4-c245-77a7-bade-6dd23432cc07","actor":"key:1","data":{"id":2,"name":"Nothing"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 23, 'category.deleted', 2, 1795460219462, '{"id":"evt_23_SDM2hcfG","sequence":23,"type":"category.deleted","timestamp":"2026-11-23T18:56:59.462Z","requestId":"01a209c4-c246-7194-b566-86efa7901922","actor":"key:1","data":{"id":2,"name":"Nothing"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 24, 'order.created', 1, 1795460219463, '{"id":"evt_24_PFJeb8Fn","sequence":24,"type":"order.created","timestamp":"2026-11-23T18:56:59.463Z","requestId":"01a209c4-c247-7108-a8ab-134866e02d06","actor":"key:1","data":{"id":1,"petId":1,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 25, 'pet.updated', 1, 1795460219463, '{"id":"evt_25_UO8zCj2e","sequence":25,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.463Z","requestId":"01a209c4-c247-7108-a8ab-134866e02d06","actor":"key:1","data":{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 26, 'order.created', 2, 1795460219466, '{"id":"evt_26_ONNelTEj","sequence":26,"type":"order.created","timestamp":"2026-11-23T18:56:59.466Z","requestId":"01a209c4-c24a-77dc-8a55-051d39fbd630","actor":"key:1","data":{"id":2,"petId":3,"quantity":1,"status":"pending","complete":false,"shipDate":"2026-12-24T08:00:00.500Z"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 27, 'pet.updated', 3, 1795460219466, '{"id":"evt_27_IoPNfobh","sequence":27,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.466Z","requestId":"01a209c4-c24a-77dc-8a55-051d39fbd630","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 28, 'order.created', 3, 1795460219468, '{"id":"evt_28_7B3r0DKW","sequence":28,"type":"order.created","timestamp":"2026-11-23T18:56:59.468Z","requestId":"01a209c4-c24c-7361-a1a1-0737a5077af3","actor":"key:1","data":{"id":3,"petId":5,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 29, 'pet.updated', 5, 1795460219468, '{"id":"evt_29_X1YLqEGo","sequence":29,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.468Z","requestId":"01a209c4-c24c-7361-a1a1-0737a5077af3","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 30, 'order.created', 4, 1795460219469, '{"id":"evt_30_ad1grGzi","sequence":30,"type":"order.created","timestamp":"2026-11-23T18:56:59.469Z","requestId":"01a209c4-c24d-75b6-9ef1-1291c35ac670","actor":"key:1","data":{"id":4,"petId":6,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 31, 'pet.updated', 6, 1795460219469, '{"id":"evt_31_Xx1OKfoV","sequence":31,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.469Z","requestId":"01a209c4-c24d-75b6-9ef1-1291c35ac670","actor":"key:1","data":{"id":6,"name":"﻿NULL","categoryId":3,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 32, 'order.updated', 2, 1795460219471, '{"id":"evt_32_R9e8RSYt","sequence":32,"type":"order.updated","timestamp":"2026-11-23T18:56:59.471Z","requestId":"01a209c4-c24f-7746-8ef8-3107c03e8c7a","actor":"key:1","data":{"id":2,"petId":3,"quantity":1,"status":"shipped","complete":true,"shipDate":"2026-12-24T08:00:00.500Z"},"previous":{"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 33, 'pet.updated', 3, 1795460219471, '{"id":"evt_33_VtCu3wAs","sequence":33,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.471Z","requestId":"01a209c4-c24f-7746-8ef8-3107c03e8c7a","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"sold"},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 34, 'order.updated', 3, 1795460219473, '{"id":"evt_34_B8DCf1DT","sequence":34,"type":"order.updated","timestamp":"2026-11-23T18:56:59.473Z","requestId":"01a209c4-c251-753a-8060-0edad446bea3","actor":"key:1","data":{"id":3,"petId":5,"quantity":1,"status":"cancelled","complete":false},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 35, 'pet.updated', 5, 1795460219473, '{"id":"evt_35_GIoO2BQx","sequence":35,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.473Z","requestId":"01a209c4-c251-753a-8060-0edad446bea3","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"available"},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 36, 'order.updated', 4, 1795460219474, '{"id":"evt_36_LPuULkLy","sequence":36,"type":"order.updated","timestamp":"2026-11-23T18:56:59.474Z","requestId":"01a209c4-c252-7575-a8e0-1a19738e68f4","actor":"key:1","data":{"id":4,"petId":6,"quantity":1,"status":"pending","complete":false},"previous":{}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 1, 'pet.created', 1, 1795460219477, '{"id":"evt_1_Z5Vf2m95","sequence":1,"type":"pet.created","timestamp":"2026-11-23T18:56:59.477Z","requestId":"01a209c4-c255-76e6-9e3e-d819a0853f35","actor":"key:3","data":{"id":1,"name":"Ada","categoryId":7,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 2, 'pet.created', 2, 1795460219478, '{"id":"evt_2_dMcAkxuf","sequence":2,"type":"pet.created","timestamp":"2026-11-23T18:56:59.478Z","requestId":"01a209c4-c256-7157-bfa8-7a42aee7dfa2","actor":"key:3","data":{"id":2,"name":"Bo","categoryId":9223372036854775807,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 3, 'order.created', 1, 1795460219479, '{"id":"evt_3_De4r2hR3","sequence":3,"type":"order.created","timestamp":"2026-11-23T18:56:59.479Z","requestId":"01a209c4-c257-71b5-8e48-8a975c6accde","actor":"key:3","data":{"id":1,"petId":1,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 4, 'pet.updated', 1, 1795460219479, '{"id":"evt_4_HkTfXCFY","sequence":4,"type":"pet.updated","timestamp":"2026-11-23T18:56:59.479Z","requestId":"01a209c4-c257-71b5-8e48-8a975c6accde","actor":"key:3","data":{"id":1,"name":"Ada","categoryId":7,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'cancelOrder', 'cancel-3', '6316cda8e30105b43fee6e46db36e8888660646720f95a78040fe5bd320f2d13', 'null', 1795546619473);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createOrder', 'order-1', 'eb905abe33e0baa3eca01aadfc96ba42b23b08546c5526b769a518c2b89e3642', '{"petId":1,"note":"For Zoë̈, “on Monday”\n— ring twice 🔔","id":1,"status":"pending"}', 1795546619463);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-0', '3bab82db82054843b145539b3627784bef446463b97479f50baa4050dda126e6', '{"name":"Rex","categoryId":-9223372036854775808,"status":"available","id":1}', 1795546619421);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-1', '59f00fe448404dd3a0a48747743a84890eea52d2ded052517221c12c7f02ec8a', '{"name":"Müsli","categoryId":9223372036854775807,"status":"sold","id":2}', 1795546619428);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-10', '4bfb0efd0df70f7c2bc310e7569a920c319e67fc7038aa93a920b7591e2001cd', '{"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","categoryId":9007199254740993,"status":"available","id":11}', 1795546619438);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-2', '51b8efd4912d83bd121068cce27648fc9247924a59d991816d32c67a4a0d049e', '{"name":"é is not é","categoryId":0,"status":"available","id":3}', 1795546619429);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-3', '5f9f6286a2549ef6a6d99d6d6033d21200421070720edd2037f1a2bfc8b3a4cc', '{"name":"O''Malley \\ \"quoted\" \\x41 {a,b} %s $1","categoryId":-1,"status":"pending","id":4}', 1795546619430);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-4', 'ab5da4a2f3c30180b0c0c8c5025b02b921ba95c1c83467d5597a93861df3abfd', '{"name":" Rex ","categoryId":9007199254740993,"status":"available","id":5}', 1795546619431);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-5', 'aca9de0ba83ea94815a5743426b0ca4c1475d15e76f2b82d6770ac95c15a98e4', '{"name":"﻿NULL","categoryId":3,"status":"available","id":6}', 1795546619432);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-6', '2b68223858a232add014862403ff3aa1c42dd332f1a0e75c040dba2e14392150', '{"name":"ß ẞ ı İ ﬁ ς Σ","categoryId":-9223372036854775808,"status":"sold","id":7}', 1795546619433);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-7', 'ada567690d0270a547a66ce53a7b6879f07eec822b7da34dd2ab467200a6b539', '{"name":"👩‍👩‍👧‍👦","categoryId":9223372036854775807,"status":"available","id":8}', 1795546619435);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-8', 'e675e9e8f40a98098a4e2f6ac2e13c4a25a4ec6440579c2c7f7f102ac419b0e2', '{"name":"􏿿� ‮","categoryId":0,"status":"pending","id":9}', 1795546619436);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-9', 'd5f2e03420a59af7d68acf2fddf43379ef5e9aecee562bed60114617fb8741b6', '{"name":"مرحبا が","categoryId":-1,"status":"available","id":10}', 1795546619437);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'deletePet', '~', '5cd6a5bbc976ec8a67d306be3a6d3f1853e26f42dcc572fdc125e2099b1fbe12', 'null', 1795546619444);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'updateOrder', 'ship-2', '9608e83a6398065f8572f44eb9cb64bacd18030442bcc05da3cfccc829b0cf3f', '{"id":2,"petId":3,"status":"shipped","shipDate":1.7980992005e+12,"note":"For Zoë̈, “on Monday”\n— ring twice 🔔"}', 1795546619471);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'updatePet', 'a"b\c', 'e63a4e2ab1b60a7c1288b426d70292bb81e931e93b553d3f89a6afecef348fb1', '{"id":2,"name":"Müsli the Second","categoryId":9223372036854775807,"status":"available"}', 1795546619440);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (2, 'createPet', 'delivery-0', '63b288e4928656a56ef487f99e16defb5a36f87de182552d302a25f626adb071', '{"name":"Ada","categoryId":7,"id":1,"status":"available"}', 1795546619477);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (1, 1, 'Site “Müller” \ 🐕', 'b06ac2c8774492226a9a9ae20ffcb837828e28cf489036c05b6742c5067f5237', 'fTgp', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795460217572, NULL, NULL, 0, 1795460160000);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (2, 1, 'reader', '873e504f2d58e15832ee29796a9c3a056ac9f395e1d461ad4073ef2b43d2ff45', 'sqEC', 'pets:read', '600/min', 1795460218028, 2110820218028, NULL, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (3, 2, 'shop', '2e337894f49ec37928e98cadf4c1bfc70c848c57c979b05008236eabc162c1aa', 'aBMy', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795460218214, NULL, NULL, 0, 1795460160000);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (4, 1, 'replaced', 'd574568e8233e2c19b4252e8fec648d5ad0ecfe614896ec10c8027efe514ca8b', 'CN9I', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795460218411, NULL, 1795546619019, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (5, 1, 'revoked', 'c51df4f41b2177d4faef6563c27510c4ba083b6fa1612c3c7d6e8340279e0f86', '0gPU', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795460218598, NULL, 1795460219217, 1, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (7, 1, 'replaced', '614591db35e1592c6354988914ab97b6d61aa51a9f3ffeb2ba9c704fa2ce601b', 'OAOA', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795460219019, NULL, NULL, 0, NULL);
INSERT INTO deprecated_calls (workspace_id, api_key_id, operation_id, call_count, last_called_at) VALUES (1, 1, 'getPet', 1, 1795460219476);
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (1, 1795460217572, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":1,"workspace":"default","name":"Site “Müller” \\ 🐕","digest":"b06ac2c8774492226a9a9ae20ffcb837828e28cf489036c05b6742c5067f5237","lastFour":"fTgp","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '66ba8cb6fea73cc1245e598477b4cbadd3912e1f945d4159aa44470b810bacab');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (2, 1795460217696, 'uid 0 "unknown" on vm', 'workspace_created', '{"workspace":"shop"}', '1549e304d0262f5155358847d9a4a5c1c05a45688e427aa7bb5aac8059fb7cd9');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (3, 1795460217863, 'uid 0 "unknown" on vm', 'workspace_created', '{"workspace":"gone"}', 'f16209d284309d4cf5cf9dbcdfea0160eb1fd4e9b8e3d24f52ca31ff483265c2');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (4, 1795460218028, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":2,"workspace":"default","name":"reader","digest":"873e504f2d58e15832ee29796a9c3a056ac9f395e1d461ad4073ef2b43d2ff45","lastFour":"sqEC","scopes":"pets:read","rateLimit":"600/min","expiresAt":2110820218028}', 'a85f85ef20c15a6d8811d816e7f064d37c3d8fc4019f07b5b4e75b3794f50461');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (5, 1795460218214, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":3,"workspace":"shop","name":"shop","digest":"2e337894f49ec37928e98cadf4c1bfc70c848c57c979b05008236eabc162c1aa","lastFour":"aBMy","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '7c2956d233995d34d9850504a6fa071c4dd554b3b6f6a998f9ad3edd728b5755');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (6, 1795460218411, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":4,"workspace":"default","name":"replaced","digest":"d574568e8233e2c19b4252e8fec648d5ad0ecfe614896ec10c8027efe514ca8b","lastFour":"CN9I","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '13e3113edf7f209816a850464e1986ef2caf00c8b074ce9640ca705b189e4ea8');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (7, 1795460218598, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":5,"workspace":"default","name":"revoked","digest":"c51df4f41b2177d4faef6563c27510c4ba083b6fa1612c3c7d6e8340279e0f86","lastFour":"0gPU","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '0562fab9ba70a53afa953608ee1fa8313d1c94ae835a417da759fb2267b3aa14');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (8, 1795460218790, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":6,"workspace":"gone","name":"gone","digest":"a1bd8b41efb65c0bfecbf9c6b1744bc83091a0ad2807ec7004c7b43fcd6007ac","lastFour":"F7R8","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '1781b76727e775bbefba470722233fcb59dbe777650071a80dc58d64429e776b');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (9, 1795460219019, 'uid 0 "unknown" on vm', 'api_key_rotated', '{"apiKeyId":7,"workspace":"default","name":"replaced","digest":"614591db35e1592c6354988914ab97b6d61aa51a9f3ffeb2ba9c704fa2ce601b","lastFour":"OAOA","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null,"replaces":4,"replacedEndsAt":1795546619019}', 'fc17187508d65cf53974f0b068ef5621458e4052c2d9bc5f64e2c6b27b5944dc');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (10, 1795460219217, 'uid 0 "unknown" on vm', 'api_key_revoked', '{"apiKeyId":5,"endsAt":1795460219217}', '9ef935679c570541488429cc06e35ab287be9345810008cb59aef28ad9875a5f');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (11, 1795460219635, 'uid 0 "unknown" on vm', 'api_keys_deleted', '{"workspace":"gone","count":1}', '78796aab45306f59d2e9ed8ff7674958a6d0361035b199a8d55226d761239b8f');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (12, 1795460219635, 'uid 0 "unknown" on vm', 'workspace_deleted', '{"workspace":"gone"}', 'ed8a9ac14882ba99715579e32b4f5aa525ddccb90900e06239db4cc8ed49f942');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (13, 1795460220133, 'uid 0 "unknown" on vm', 'console_signed_in', '{"session":"471d3483d2528fea","kind":"owner","apiKeyId":null,"workspace":"default","address":"127.0.0.1"}', '91506730cb36b4232ef5d0a48b4f02a1020421cbdae13b2eba15e894b7fe5df6');
INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at, address) VALUES ('471d3483d2528fea2e109ef6bfb3bbaf8b783a198637e5462481b463987571cf', 0, 1, NULL, 1795460220133, 1795460220133, 1795503420133, '127.0.0.1');
INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at, address) VALUES ('bdc8881b7ccbcc60367a3837aea6dc9941e865898593797a6692c67ac9dc1358', 1, 1, NULL, 1795460219890, 1795460219890, 1795460519890, NULL);
