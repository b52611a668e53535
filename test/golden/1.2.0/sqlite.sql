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
, next_webhook_id INTEGER NOT NULL DEFAULT 1, next_delivery_id INTEGER NOT NULL DEFAULT 1) STRICT;
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
CREATE TABLE webhooks (
  workspace_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  url TEXT NOT NULL,
  types TEXT,
  description TEXT,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_expires_at INTEGER,
  position INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'paused' CHECK (status IN ('enabled', 'failing', 'paused', 'disabled')),
  read_to INTEGER,
  failure_count INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  retry_step INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  lease_holder TEXT,
  lease_until INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_retries (
  workspace_id INTEGER NOT NULL,
  webhook_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_retries_by_time ON webhook_retries (workspace_id, webhook_id, next_attempt_at);
CREATE TABLE webhook_deliveries (
  workspace_id INTEGER NOT NULL,
  webhook_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  event_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  http_status INTEGER,
  error TEXT,
  milliseconds INTEGER NOT NULL,
  response_excerpt TEXT,
  PRIMARY KEY (workspace_id, webhook_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (at);
INSERT INTO meta (id, schema_version, schema_digest, writer_version, unfinished_copy_of, environment, next_workspace_id, next_api_key_id, audit_count, audit_digest) VALUES (1, 2, '90d180add82cea3a', 1, NULL, 'production', 4, 9, 19, '8fe9a1bda175fd1d486f5877d5fbd0dfb082ee8849552491005508d7200ed8d6');
INSERT INTO workspaces (id, name, version, next_pet_id, next_category_id, next_order_id, next_event_sequence, available_count, pending_count, sold_count, created_at, next_webhook_id, next_delivery_id) VALUES (1, 'default', 14138444, 13, 3, 5, 38, 5, 4, 2, 1795827518972, 3, 2);
INSERT INTO workspaces (id, name, version, next_pet_id, next_category_id, next_order_id, next_event_sequence, available_count, pending_count, sold_count, created_at, next_webhook_id, next_delivery_id) VALUES (2, 'shop', 1379284, 3, 1, 2, 5, 1, 1, 0, 1795827519192, 1, 1);
INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (1, 1, 'Rex II', -9223372036854775808, 'pending');
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
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 1, 'pet.created', 1, 1795827521385, '{"id":"evt_1_0pdCKBCs","sequence":1,"type":"pet.created","timestamp":"2026-11-28T00:58:41.385Z","requestId":"01a21fa9-5768-7577-9aa1-054d3f773658","actor":"key:1","data":{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 2, 'pet.created', 2, 1795827521399, '{"id":"evt_2_TlGa1vjX","sequence":2,"type":"pet.created","timestamp":"2026-11-28T00:58:41.399Z","requestId":"01a21fa9-5777-7480-bdb7-c2dcfd2abbf1","actor":"key:1","data":{"id":2,"name":"Müsli","categoryId":9223372036854775807,"status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 3, 'pet.created', 3, 1795827521401, '{"id":"evt_3_SXwXR7m8","sequence":3,"type":"pet.created","timestamp":"2026-11-28T00:58:41.401Z","requestId":"01a21fa9-5779-700a-b4ca-30accf40b3ad","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 4, 'pet.created', 4, 1795827521406, '{"id":"evt_4_aMHQLdJl","sequence":4,"type":"pet.created","timestamp":"2026-11-28T00:58:41.406Z","requestId":"01a21fa9-577e-75c1-9544-51e8ce2263a8","actor":"key:1","data":{"id":4,"name":"O''Malley \\ \"quoted\" \\x41 {a,b} %s $1","categoryId":-1,"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 5, 'pet.created', 5, 1795827521410, '{"id":"evt_5_31c53iYS","sequence":5,"type":"pet.created","timestamp":"2026-11-28T00:58:41.410Z","requestId":"01a21fa9-5782-7475-930d-a069b4a36280","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 6, 'pet.created', 6, 1795827521412, '{"id":"evt_6_NaW0lXmz","sequence":6,"type":"pet.created","timestamp":"2026-11-28T00:58:41.412Z","requestId":"01a21fa9-5784-7006-9556-3e983bc70551","actor":"key:1","data":{"id":6,"name":"﻿NULL","categoryId":3,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 7, 'pet.created', 7, 1795827521413, '{"id":"evt_7_Pff1fR4S","sequence":7,"type":"pet.created","timestamp":"2026-11-28T00:58:41.413Z","requestId":"01a21fa9-5785-7206-9d56-5ad36317cb27","actor":"key:1","data":{"id":7,"name":"ß ẞ ı İ ﬁ ς Σ","categoryId":-9223372036854775808,"status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 8, 'pet.created', 8, 1795827521416, '{"id":"evt_8_SIpbyKq7","sequence":8,"type":"pet.created","timestamp":"2026-11-28T00:58:41.416Z","requestId":"01a21fa9-5788-77b4-bfab-717ec085b6a7","actor":"key:1","data":{"id":8,"name":"👩‍👩‍👧‍👦","categoryId":9223372036854775807,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 9, 'pet.created', 9, 1795827521418, '{"id":"evt_9_FOjiK5eY","sequence":9,"type":"pet.created","timestamp":"2026-11-28T00:58:41.418Z","requestId":"01a21fa9-578a-732f-9722-e852e38f4298","actor":"key:1","data":{"id":9,"name":"􏿿�\u2028‮","categoryId":0,"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 10, 'pet.created', 10, 1795827521420, '{"id":"evt_10_3SGwHWgx","sequence":10,"type":"pet.created","timestamp":"2026-11-28T00:58:41.420Z","requestId":"01a21fa9-578c-7231-994c-388274fabffe","actor":"key:1","data":{"id":10,"name":"مرحبا が","categoryId":-1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 11, 'pet.created', 11, 1795827521423, '{"id":"evt_11_BFPVr6Bv","sequence":11,"type":"pet.created","timestamp":"2026-11-28T00:58:41.423Z","requestId":"01a21fa9-578f-7629-9022-a89ff9c1d829","actor":"key:1","data":{"id":11,"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","categoryId":9007199254740993,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 12, 'pet.created', 12, 1795827521429, '{"id":"evt_12_ayDMtfgq","sequence":12,"type":"pet.created","timestamp":"2026-11-28T00:58:41.429Z","requestId":"01a21fa9-5795-70bf-b0bb-0369a963e138","actor":"key:1","data":{"id":12,"name":"Gone","categoryId":1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 13, 'pet.updated', 2, 1795827521431, '{"id":"evt_13_V18WvgAA","sequence":13,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.431Z","requestId":"01a21fa9-5797-700d-a185-ae2c4d2aeabe","actor":"key:1","data":{"id":2,"name":"Müsli the Second","categoryId":9223372036854775807,"status":"available"},"previous":{"name":"Müsli","status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 14, 'pet.deleted', 12, 1795827521440, '{"id":"evt_14_MsBdzgqH","sequence":14,"type":"pet.deleted","timestamp":"2026-11-28T00:58:41.440Z","requestId":"01a21fa9-57a0-76cb-9ede-b814bb7427ca","actor":"key:1","data":{"id":12,"name":"Gone","categoryId":1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 15, 'category.created', 1, 1795827521443, '{"id":"evt_15_aEAhKC5d","sequence":15,"type":"category.created","timestamp":"2026-11-28T00:58:41.443Z","requestId":"01a21fa9-57a3-77d7-8382-102dd0813db1","actor":"key:1","data":{"id":1,"name":"Dogs","description":"They bark:\n\t\"wuff\" 🐕\n"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 16, 'category.created', -9223372036854775808, 1795827521446, '{"id":"evt_16_5x2gzYaz","sequence":16,"type":"category.created","timestamp":"2026-11-28T00:58:41.446Z","requestId":"01a21fa9-57a6-710a-a618-ac9ab020add3","actor":"key:1","data":{"id":-9223372036854775808,"name":"Number -9223372036854775808"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 17, 'category.created', 9223372036854775807, 1795827521455, '{"id":"evt_17_53kvidZI","sequence":17,"type":"category.created","timestamp":"2026-11-28T00:58:41.455Z","requestId":"01a21fa9-57af-778e-bf7b-6866c6b4961f","actor":"key:1","data":{"id":9223372036854775807,"name":"Number 9223372036854775807"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 18, 'category.created', 0, 1795827521457, '{"id":"evt_18_bpLLnckh","sequence":18,"type":"category.created","timestamp":"2026-11-28T00:58:41.457Z","requestId":"01a21fa9-57b1-7133-aabd-2f11e3fce75f","actor":"key:1","data":{"id":0,"name":"Number 0"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 19, 'category.created', -1, 1795827521459, '{"id":"evt_19_8g7aO19v","sequence":19,"type":"category.created","timestamp":"2026-11-28T00:58:41.459Z","requestId":"01a21fa9-57b3-76ec-a05f-4f4f3d5ac9f7","actor":"key:1","data":{"id":-1,"name":"Number -1"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 20, 'category.created', 9007199254740993, 1795827521464, '{"id":"evt_20_bpWWwNLB","sequence":20,"type":"category.created","timestamp":"2026-11-28T00:58:41.464Z","requestId":"01a21fa9-57b8-7053-944b-2ca302a5b54b","actor":"key:1","data":{"id":9007199254740993,"name":"Number 9007199254740993"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 21, 'category.created', 3, 1795827521467, '{"id":"evt_21_OA0zQlFN","sequence":21,"type":"category.created","timestamp":"2026-11-28T00:58:41.467Z","requestId":"01a21fa9-57bb-773e-a76d-b2bc6e2c2587","actor":"key:1","data":{"id":3,"name":"Number 3"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 22, 'category.created', 2, 1795827521471, '{"id":"evt_22_3M5iFTuf","sequence":22,"type":"category.created","timestamp":"2026-11-28T00:58:41.471Z","requestId":"01a21fa9-57bf-7210-8f44-17c2c4cb37c3","actor":"key:1","data":{"id":2,"name":"Nothing"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 23, 'category.deleted', 2, 1795827521472, '{"id":"evt_23_bI3pBqFe","sequence":23,"type":"category.deleted","timestamp":"2026-11-28T00:58:41.472Z","requestId":"01a21fa9-57c0-72d6-8b1e-22a384d841cb","actor":"key:1","data":{"id":2,"name":"Nothing"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 24, 'order.created', 1, 1795827521474, '{"id":"evt_24_TA1C7zXB","sequence":24,"type":"order.created","timestamp":"2026-11-28T00:58:41.474Z","requestId":"01a21fa9-57c2-7175-9091-91a3e9468a04","actor":"key:1","data":{"id":1,"petId":1,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 25, 'pet.updated', 1, 1795827521474, '{"id":"evt_25_3ZvbNfbQ","sequence":25,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.474Z","requestId":"01a21fa9-57c2-7175-9091-91a3e9468a04","actor":"key:1","data":{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 26, 'order.created', 2, 1795827521478, '{"id":"evt_26_WYJvmOot","sequence":26,"type":"order.created","timestamp":"2026-11-28T00:58:41.478Z","requestId":"01a21fa9-57c6-763c-928b-8a841c1d1605","actor":"key:1","data":{"id":2,"petId":3,"quantity":1,"status":"pending","complete":false,"shipDate":"2026-12-24T08:00:00.500Z"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 27, 'pet.updated', 3, 1795827521478, '{"id":"evt_27_AvAG7dl3","sequence":27,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.478Z","requestId":"01a21fa9-57c6-763c-928b-8a841c1d1605","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 28, 'order.created', 3, 1795827521481, '{"id":"evt_28_AUbSqxVw","sequence":28,"type":"order.created","timestamp":"2026-11-28T00:58:41.481Z","requestId":"01a21fa9-57c9-7425-bafa-e5d4d4c69ca4","actor":"key:1","data":{"id":3,"petId":5,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 29, 'pet.updated', 5, 1795827521481, '{"id":"evt_29_E6mG3ZlD","sequence":29,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.481Z","requestId":"01a21fa9-57c9-7425-bafa-e5d4d4c69ca4","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 30, 'order.created', 4, 1795827521484, '{"id":"evt_30_NNyjquQP","sequence":30,"type":"order.created","timestamp":"2026-11-28T00:58:41.484Z","requestId":"01a21fa9-57cc-71f7-b9a0-e16da36b2090","actor":"key:1","data":{"id":4,"petId":6,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 31, 'pet.updated', 6, 1795827521484, '{"id":"evt_31_Z6GlzNxm","sequence":31,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.484Z","requestId":"01a21fa9-57cc-71f7-b9a0-e16da36b2090","actor":"key:1","data":{"id":6,"name":"﻿NULL","categoryId":3,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 32, 'order.updated', 2, 1795827521486, '{"id":"evt_32_PVxHCMz6","sequence":32,"type":"order.updated","timestamp":"2026-11-28T00:58:41.486Z","requestId":"01a21fa9-57ce-7625-b987-f5d3f4a483e3","actor":"key:1","data":{"id":2,"petId":3,"quantity":1,"status":"shipped","complete":true,"shipDate":"2026-12-24T08:00:00.500Z"},"previous":{"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 33, 'pet.updated', 3, 1795827521486, '{"id":"evt_33_P7AinPHC","sequence":33,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.486Z","requestId":"01a21fa9-57ce-7625-b987-f5d3f4a483e3","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"sold"},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 34, 'order.updated', 3, 1795827521490, '{"id":"evt_34_6ungVoTg","sequence":34,"type":"order.updated","timestamp":"2026-11-28T00:58:41.490Z","requestId":"01a21fa9-57d2-761b-947e-d6dc307b9fc5","actor":"key:1","data":{"id":3,"petId":5,"quantity":1,"status":"cancelled","complete":false},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 35, 'pet.updated', 5, 1795827521490, '{"id":"evt_35_DocRKSyo","sequence":35,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.490Z","requestId":"01a21fa9-57d2-761b-947e-d6dc307b9fc5","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"available"},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 36, 'order.updated', 4, 1795827521492, '{"id":"evt_36_IIwUmnNA","sequence":36,"type":"order.updated","timestamp":"2026-11-28T00:58:41.492Z","requestId":"01a21fa9-57d4-76e8-be46-4bb14314d845","actor":"key:1","data":{"id":4,"petId":6,"quantity":1,"status":"pending","complete":false},"previous":{}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 37, 'pet.updated', 1, 1795827521529, '{"id":"evt_37_F4XwTnel","sequence":37,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.529Z","requestId":"01a21fa9-57f9-7250-a2b5-e7da04f4852b","actor":"key:1","data":{"id":1,"name":"Rex II","categoryId":-9223372036854775808,"status":"pending"},"previous":{"name":"Rex"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 1, 'pet.created', 1, 1795827521497, '{"id":"evt_1_CcsJKc3i","sequence":1,"type":"pet.created","timestamp":"2026-11-28T00:58:41.497Z","requestId":"01a21fa9-57d9-724c-8aa0-69d6309fcc5b","actor":"key:3","data":{"id":1,"name":"Ada","categoryId":7,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 2, 'pet.created', 2, 1795827521500, '{"id":"evt_2_PVT45QnE","sequence":2,"type":"pet.created","timestamp":"2026-11-28T00:58:41.500Z","requestId":"01a21fa9-57dc-72d6-a7d4-3ae9a0d4d560","actor":"key:3","data":{"id":2,"name":"Bo","categoryId":9223372036854775807,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 3, 'order.created', 1, 1795827521503, '{"id":"evt_3_dVoGQO6e","sequence":3,"type":"order.created","timestamp":"2026-11-28T00:58:41.503Z","requestId":"01a21fa9-57df-7253-804d-c054f3365c5e","actor":"key:3","data":{"id":1,"petId":1,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 4, 'pet.updated', 1, 1795827521503, '{"id":"evt_4_UZK5xI3X","sequence":4,"type":"pet.updated","timestamp":"2026-11-28T00:58:41.503Z","requestId":"01a21fa9-57df-7253-804d-c054f3365c5e","actor":"key:3","data":{"id":1,"name":"Ada","categoryId":7,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'cancelOrder', 'cancel-3', '6316cda8e30105b43fee6e46db36e8888660646720f95a78040fe5bd320f2d13', 'null', 1795913921490);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createOrder', 'order-1', 'eb905abe33e0baa3eca01aadfc96ba42b23b08546c5526b769a518c2b89e3642', '{"petId":1,"note":"For Zoë̈, “on Monday”\n— ring twice 🔔","id":1,"status":"pending"}', 1795913921474);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-0', '3bab82db82054843b145539b3627784bef446463b97479f50baa4050dda126e6', '{"name":"Rex","categoryId":-9223372036854775808,"status":"available","id":1}', 1795913921385);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-1', '59f00fe448404dd3a0a48747743a84890eea52d2ded052517221c12c7f02ec8a', '{"name":"Müsli","categoryId":9223372036854775807,"status":"sold","id":2}', 1795913921399);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-10', '4bfb0efd0df70f7c2bc310e7569a920c319e67fc7038aa93a920b7591e2001cd', '{"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","categoryId":9007199254740993,"status":"available","id":11}', 1795913921423);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-2', '51b8efd4912d83bd121068cce27648fc9247924a59d991816d32c67a4a0d049e', '{"name":"é is not é","categoryId":0,"status":"available","id":3}', 1795913921401);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-3', '5f9f6286a2549ef6a6d99d6d6033d21200421070720edd2037f1a2bfc8b3a4cc', '{"name":"O''Malley \\ \"quoted\" \\x41 {a,b} %s $1","categoryId":-1,"status":"pending","id":4}', 1795913921406);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-4', 'ab5da4a2f3c30180b0c0c8c5025b02b921ba95c1c83467d5597a93861df3abfd', '{"name":" Rex ","categoryId":9007199254740993,"status":"available","id":5}', 1795913921410);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-5', 'aca9de0ba83ea94815a5743426b0ca4c1475d15e76f2b82d6770ac95c15a98e4', '{"name":"﻿NULL","categoryId":3,"status":"available","id":6}', 1795913921412);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-6', '2b68223858a232add014862403ff3aa1c42dd332f1a0e75c040dba2e14392150', '{"name":"ß ẞ ı İ ﬁ ς Σ","categoryId":-9223372036854775808,"status":"sold","id":7}', 1795913921413);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-7', 'ada567690d0270a547a66ce53a7b6879f07eec822b7da34dd2ab467200a6b539', '{"name":"👩‍👩‍👧‍👦","categoryId":9223372036854775807,"status":"available","id":8}', 1795913921416);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-8', 'e675e9e8f40a98098a4e2f6ac2e13c4a25a4ec6440579c2c7f7f102ac419b0e2', '{"name":"􏿿� ‮","categoryId":0,"status":"pending","id":9}', 1795913921418);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-9', 'd5f2e03420a59af7d68acf2fddf43379ef5e9aecee562bed60114617fb8741b6', '{"name":"مرحبا が","categoryId":-1,"status":"available","id":10}', 1795913921420);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'deletePet', '~', '5cd6a5bbc976ec8a67d306be3a6d3f1853e26f42dcc572fdc125e2099b1fbe12', 'null', 1795913921440);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'updateOrder', 'ship-2', '9608e83a6398065f8572f44eb9cb64bacd18030442bcc05da3cfccc829b0cf3f', '{"id":2,"petId":3,"status":"shipped","shipDate":1.7980992005e+12,"note":"For Zoë̈, “on Monday”\n— ring twice 🔔"}', 1795913921486);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'updatePet', 'a"b\c', 'e63a4e2ab1b60a7c1288b426d70292bb81e931e93b553d3f89a6afecef348fb1', '{"id":2,"name":"Müsli the Second","categoryId":9223372036854775807,"status":"available"}', 1795913921431);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (2, 'createPet', 'delivery-0', '63b288e4928656a56ef487f99e16defb5a36f87de182552d302a25f626adb071', '{"name":"Ada","categoryId":7,"id":1,"status":"available"}', 1795913921497);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (1, 1, 'Site “Müller” \ 🐕', '4b77cab7ee356eeb5d6c288334c6d04576263fa34d8283d5eedeb458c8ba3b80', 'Ytyl', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795827519014, NULL, NULL, 0, 1795827480000);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (2, 1, 'reader', '0eaa46a96108199acf2f157d77a23ce9b04b929fa703e83aad5b22936a1dae76', 'z9CI', 'pets:read', '600/min', 1795827519544, 2111187519544, NULL, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (3, 2, 'shop', '0168f94bc6746bf52dac60561430d5e5025a85d7e7b8fd22562209c367319d64', 'M8v3', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795827519869, NULL, NULL, 0, 1795827480000);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (4, 1, 'replaced', '46cc73b15fcbe88c52acb5da0dc33eab583a42a5b0f825362ecdc95b26b39624', 'EwXP', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795827520098, NULL, 1795913920635, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (5, 1, 'revoked', '33b9a8f89b29c7a19114ae950c05c9477efa10fcf4fe8a377118d036a736250f', 'd4U6', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795827520275, NULL, 1795827520811, 1, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (7, 1, 'replaced', '969cadb53a4a19b72f2cc589a2c4b6d691905161b0edf320f57c88704ea8277a', 'jFuU', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795827520635, NULL, NULL, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (8, 1, 'hooks', '2a39de981cde729a70f141d9feaeb6fdd4ee1f19352ae6ffd1af3aa2d1281eaf', 'r5q2', 'webhooks:manage', NULL, 1795827521004, NULL, NULL, 0, 1795827480000);
INSERT INTO deprecated_calls (workspace_id, api_key_id, operation_id, call_count, last_called_at) VALUES (1, 1, 'getPet', 1, 1795827521495);
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (1, 1795827519014, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":1,"workspace":"default","name":"Site “Müller” \\ 🐕","digest":"4b77cab7ee356eeb5d6c288334c6d04576263fa34d8283d5eedeb458c8ba3b80","lastFour":"Ytyl","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', 'e4250036aacb834e6f1150dc2ff4b3b9fc8e102300547f6edf99cb7151ee2457');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (2, 1795827519192, 'uid 0 "root" on vm', 'workspace_created', '{"workspace":"shop"}', 'dd9cc07c6beadd6c1c8514e071d7bfa970e163f7c351646ddc185fbb84445629');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (3, 1795827519382, 'uid 0 "root" on vm', 'workspace_created', '{"workspace":"gone"}', '402adebc9ceda683e80651e5b37d5c722eae24dc94171309db34f66738d9fdaa');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (4, 1795827519544, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":2,"workspace":"default","name":"reader","digest":"0eaa46a96108199acf2f157d77a23ce9b04b929fa703e83aad5b22936a1dae76","lastFour":"z9CI","scopes":"pets:read","rateLimit":"600/min","expiresAt":2111187519544}', 'caf558df4b0ae76bcb013b52e127a66bda5f75ce909986217f7fcc834dd8abe5');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (5, 1795827519869, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":3,"workspace":"shop","name":"shop","digest":"0168f94bc6746bf52dac60561430d5e5025a85d7e7b8fd22562209c367319d64","lastFour":"M8v3","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', 'fa691b2da65404202aeefe4943df82371838583d2dec09f8341c36c27812e604');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (6, 1795827520098, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":4,"workspace":"default","name":"replaced","digest":"46cc73b15fcbe88c52acb5da0dc33eab583a42a5b0f825362ecdc95b26b39624","lastFour":"EwXP","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '1feb08269d1694725b7419bea1b60424ea0d444a0bd7c0ad5673ff4c029c88ef');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (7, 1795827520275, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":5,"workspace":"default","name":"revoked","digest":"33b9a8f89b29c7a19114ae950c05c9477efa10fcf4fe8a377118d036a736250f","lastFour":"d4U6","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', 'e63767e532b30243fc06166159e3c57759d32a046d74090e15fbcc8d3feeea4a');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (8, 1795827520451, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":6,"workspace":"gone","name":"gone","digest":"811f130d3cbf2ed1204907ced21d06234e11c90f85bff3cd8eeab32c5ce682a9","lastFour":"SMNh","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '8096d48756fd9c44cb1595bee4845f93e88473b9232a4f160673dc44fe31a142');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (9, 1795827520635, 'uid 0 "root" on vm', 'api_key_rotated', '{"apiKeyId":7,"workspace":"default","name":"replaced","digest":"969cadb53a4a19b72f2cc589a2c4b6d691905161b0edf320f57c88704ea8277a","lastFour":"jFuU","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null,"replaces":4,"replacedEndsAt":1795913920635}', 'ead6f5c271cc2ad927588604e3845a589659f691fcdd01c2739d9a84e0e19cc0');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (10, 1795827520811, 'uid 0 "root" on vm', 'api_key_revoked', '{"apiKeyId":5,"endsAt":1795827520811}', 'b36b5754c20fcab0f5e135fce4fda2fe8084452060c2db1638418fb56b153ea4');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (11, 1795827521004, 'uid 0 "root" on vm', 'api_key_created', '{"apiKeyId":8,"workspace":"default","name":"hooks","digest":"2a39de981cde729a70f141d9feaeb6fdd4ee1f19352ae6ffd1af3aa2d1281eaf","lastFour":"r5q2","scopes":"webhooks:manage","rateLimit":null}', '74b3ec50e61f43db98bb7797c88216fb292d7f62b578b5c60276b7eadc01e144');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (12, 1795827521513, 'uid 0 "root" on vm', 'webhook_created', '{"webhookId":1,"workspace":"default","url":"http://127.0.0.1:1/all","types":null,"status":"enabled","position":36,"caller":"key:8"}', '2ec0e13264a3b1515690f708225bfa863d429523d89bf2e195ee40113fb0ceaf');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (13, 1795827521520, 'uid 0 "root" on vm', 'webhook_created', '{"webhookId":2,"workspace":"default","url":"http://127.0.0.1:1/some","types":"order.* pet.created","status":"enabled","position":36,"caller":"key:8"}', '251ce1eadb5878651b80de101a2e6e43e78ab30aaacfd116d90ca48bf2c6ae8c');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (14, 1795827521522, 'uid 0 "root" on vm', 'webhook_changed', '{"webhookId":2,"workspace":"default","url":"http://127.0.0.1:1/some","types":"order.* pet.created","status":"paused","position":36,"changed":"status","caller":"key:8"}', '2d72cb8f02e971a19fc0ccb06d95d6ae00f17530123e2679759d700496b401b0');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (15, 1795827521526, 'uid 0 "root" on vm', 'webhook_secret_rotated', '{"webhookId":1,"workspace":"default","url":"http://127.0.0.1:1/all","types":null,"status":"enabled","position":36,"previousSecretExpiresAt":1796432321526,"caller":"key:8"}', '8ed38b4d135e13b9455f5212f204c989f83ac97d5ca85d653145b0d928c96e3b');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (16, 1795827521693, 'uid 0 "root" on vm', 'webhook_changed', '{"webhookId":1,"workspace":"default","url":"http://127.0.0.1:1/all","types":null,"status":"paused","position":36,"changed":"status","caller":"key:8"}', '2c9ccf1e29f43170598d2bc3c7a51584eb8c6e93df39a02ebf78c83ae62dcd8f');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (17, 1795827521905, 'uid 0 "root" on vm', 'api_keys_deleted', '{"workspace":"gone","count":1}', 'dba1e08f2e635f8af5553728c54d2061ee07143bea223d52fa148f1d04b36bea');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (18, 1795827521905, 'uid 0 "root" on vm', 'workspace_deleted', '{"workspace":"gone"}', '3ede3588625fef550b37934481240f85159c5fbee1bbcd9723bc53919ea3f796');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (19, 1795827522502, 'uid 0 "root" on vm', 'console_signed_in', '{"session":"be6045cc90927f84","kind":"owner","apiKeyId":null,"workspace":"default","address":"127.0.0.1"}', '8fe9a1bda175fd1d486f5877d5fbd0dfb082ee8849552491005508d7200ed8d6');
INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at, address) VALUES ('2641500fa59fbcc525d489b2df7bdf80e55fa609c4b034f63ffea785ccf72cea', 1, 1, NULL, 1795827522147, 1795827522147, 1795827822147, NULL);
INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at, address) VALUES ('be6045cc90927f8461152247d8682c2f4770ea611ffd5bfd4fcd4c6250f5186f', 0, 1, NULL, 1795827522502, 1795827522502, 1795870722502, '127.0.0.1');
INSERT INTO webhooks (workspace_id, id, url, types, description, secret, previous_secret, previous_secret_expires_at, position, revision, created_at, digest, status, read_to, failure_count, failing_since, retry_step, next_attempt_at, lease_holder, lease_until) VALUES (1, 1, 'http://127.0.0.1:1/all?shop=m%C3%BCsli', NULL, NULL, 'whsec_EROfg3t/QVfzlfmiSN5cy13AX8DgheRce8suML2Pkg4=', 'whsec_v/r1+ZLt4Fh75i97SmQJ7gOkR+yXJ2J9Pf0TbGBA+gs=', 1796432321526, 36, 3, 1795827521513, 'daf63990ad811a6e', 'paused', 37, 1, 1795827521662, 0, NULL, NULL, 1795827521692);
INSERT INTO webhooks (workspace_id, id, url, types, description, secret, previous_secret, previous_secret_expires_at, position, revision, created_at, digest, status, read_to, failure_count, failing_since, retry_step, next_attempt_at, lease_holder, lease_until) VALUES (1, 2, 'http://127.0.0.1:1/some', 'order.* pet.created', NULL, 'whsec_SQ01kLvk1PgQ7tmhUKBixLrQN3V3apcxPj8pSDPH8z8=', NULL, NULL, 36, 2, 1795827521520, '8af2073689c24fd4', 'paused', 36, 0, NULL, 0, NULL, NULL, NULL);
INSERT INTO webhook_retries (workspace_id, webhook_id, sequence, attempt, next_attempt_at) VALUES (1, 1, 37, 1, 1795827527467);
INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, at, attempt, http_status, error, milliseconds, response_excerpt) VALUES (1, 1, 1, 'evt_37_F4XwTnel', 1795827521662, 1, NULL, 'connection_failed', 8, NULL);
