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
INSERT INTO meta (id, schema_version, schema_digest, writer_version, unfinished_copy_of, environment, next_workspace_id, next_api_key_id, audit_count, audit_digest) VALUES (1, 2, '90d180add82cea3a', 1, NULL, 'production', 4, 9, 19, '964664d5b178e54e95d9228b7f51b2ed9dc80382ffc72b1383246ae8fb01a5ce');
INSERT INTO workspaces (id, name, version, next_pet_id, next_category_id, next_order_id, next_event_sequence, available_count, pending_count, sold_count, created_at, next_webhook_id, next_delivery_id) VALUES (1, 'default', 13759396, 13, 3, 5, 38, 5, 4, 2, 1795523543685, 3, 2);
INSERT INTO workspaces (id, name, version, next_pet_id, next_category_id, next_order_id, next_event_sequence, available_count, pending_count, sold_count, created_at, next_webhook_id, next_delivery_id) VALUES (2, 'shop', 1857733, 3, 1, 2, 5, 1, 1, 0, 1795523543889, 1, 1);
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
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 1, 'pet.created', 1, 1795523545601, '{"id":"evt_1_W5Q9Hzkz","sequence":1,"type":"pet.created","timestamp":"2026-11-24T12:32:25.601Z","requestId":"01a20d8b-0a01-74fd-b517-dd1e02f13f8e","actor":"key:1","data":{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 2, 'pet.created', 2, 1795523545610, '{"id":"evt_2_BC0W4H1P","sequence":2,"type":"pet.created","timestamp":"2026-11-24T12:32:25.610Z","requestId":"01a20d8b-0a0a-77a1-9932-c6e06d9f5dec","actor":"key:1","data":{"id":2,"name":"Müsli","categoryId":9223372036854775807,"status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 3, 'pet.created', 3, 1795523545611, '{"id":"evt_3_VmiWr2s8","sequence":3,"type":"pet.created","timestamp":"2026-11-24T12:32:25.611Z","requestId":"01a20d8b-0a0b-717e-867e-2fdee0aec1cb","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 4, 'pet.created', 4, 1795523545613, '{"id":"evt_4_dMd1Bbq2","sequence":4,"type":"pet.created","timestamp":"2026-11-24T12:32:25.613Z","requestId":"01a20d8b-0a0d-74c0-9ed2-fda32df93e2e","actor":"key:1","data":{"id":4,"name":"O''Malley \\ \"quoted\" \\x41 {a,b} %s $1","categoryId":-1,"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 5, 'pet.created', 5, 1795523545614, '{"id":"evt_5_X1l6Eq7w","sequence":5,"type":"pet.created","timestamp":"2026-11-24T12:32:25.614Z","requestId":"01a20d8b-0a0e-7198-9a04-d99cd0f30bb1","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 6, 'pet.created', 6, 1795523545615, '{"id":"evt_6_MSrDhcgB","sequence":6,"type":"pet.created","timestamp":"2026-11-24T12:32:25.615Z","requestId":"01a20d8b-0a0f-724b-8870-43abf4e783c0","actor":"key:1","data":{"id":6,"name":"﻿NULL","categoryId":3,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 7, 'pet.created', 7, 1795523545616, '{"id":"evt_7_blvhSOPK","sequence":7,"type":"pet.created","timestamp":"2026-11-24T12:32:25.616Z","requestId":"01a20d8b-0a10-775e-afee-cf9ce1fc891d","actor":"key:1","data":{"id":7,"name":"ß ẞ ı İ ﬁ ς Σ","categoryId":-9223372036854775808,"status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 8, 'pet.created', 8, 1795523545618, '{"id":"evt_8_H6wJWp3s","sequence":8,"type":"pet.created","timestamp":"2026-11-24T12:32:25.618Z","requestId":"01a20d8b-0a12-74c3-ad40-95d6992b5f6b","actor":"key:1","data":{"id":8,"name":"👩‍👩‍👧‍👦","categoryId":9223372036854775807,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 9, 'pet.created', 9, 1795523545619, '{"id":"evt_9_BkfIpflR","sequence":9,"type":"pet.created","timestamp":"2026-11-24T12:32:25.619Z","requestId":"01a20d8b-0a13-7299-91a9-e9bc4935fc5c","actor":"key:1","data":{"id":9,"name":"􏿿� ‮","categoryId":0,"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 10, 'pet.created', 10, 1795523545621, '{"id":"evt_10_5xMydTG1","sequence":10,"type":"pet.created","timestamp":"2026-11-24T12:32:25.621Z","requestId":"01a20d8b-0a15-736c-a7bd-e93292a44993","actor":"key:1","data":{"id":10,"name":"مرحبا が","categoryId":-1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 11, 'pet.created', 11, 1795523545622, '{"id":"evt_11_CAUt36mw","sequence":11,"type":"pet.created","timestamp":"2026-11-24T12:32:25.622Z","requestId":"01a20d8b-0a16-721e-879d-2d9736ee682a","actor":"key:1","data":{"id":11,"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","categoryId":9007199254740993,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 12, 'pet.created', 12, 1795523545623, '{"id":"evt_12_ZyZI5nXf","sequence":12,"type":"pet.created","timestamp":"2026-11-24T12:32:25.623Z","requestId":"01a20d8b-0a17-7473-8ca5-2632a705bc58","actor":"key:1","data":{"id":12,"name":"Gone","categoryId":1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 13, 'pet.updated', 2, 1795523545625, '{"id":"evt_13_Xa0GH50q","sequence":13,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.625Z","requestId":"01a20d8b-0a19-740b-a8a5-ec53259c0f73","actor":"key:1","data":{"id":2,"name":"Müsli the Second","categoryId":9223372036854775807,"status":"available"},"previous":{"name":"Müsli","status":"sold"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 14, 'pet.deleted', 12, 1795523545629, '{"id":"evt_14_CHWd5rwy","sequence":14,"type":"pet.deleted","timestamp":"2026-11-24T12:32:25.629Z","requestId":"01a20d8b-0a1d-7775-80de-31b1e4af3e0d","actor":"key:1","data":{"id":12,"name":"Gone","categoryId":1,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 15, 'category.created', 1, 1795523545631, '{"id":"evt_15_YWX6dCBt","sequence":15,"type":"category.created","timestamp":"2026-11-24T12:32:25.631Z","requestId":"01a20d8b-0a1f-7229-8c3c-8ffd6fc4a1d7","actor":"key:1","data":{"id":1,"name":"Dogs","description":"They bark:\n\t\"wuff\" 🐕\n"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 16, 'category.created', -9223372036854775808, 1795523545634, '{"id":"evt_16_7pSwWWY9","sequence":16,"type":"category.created","timestamp":"2026-11-24T12:32:25.634Z","requestId":"01a20d8b-0a22-733f-959f-677b2b96c1c6","actor":"key:1","data":{"id":-9223372036854775808,"name":"Number -9223372036854775808"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 17, 'category.created', 9223372036854775807, 1795523545637, '{"id":"evt_17_3pSSENAf","sequence":17,"type":"category.created","timestamp":"2026-11-24T12:32:25.637Z","requestId":"01a20d8b-0a25-7676-9991-f0d484c6621d","actor":"key:1","data":{"id":9223372036854775807,"name":"Number 9223372036854775807"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 18, 'category.created', 0, 1795523545639, '{"id":"evt_18_WXHv1WN4","sequence":18,"type":"category.created","timestamp":"2026-11-24T12:32:25.639Z","requestId":"01a20d8b-0a27-76b9-a5b3-d50fc1299440","actor":"key:1","data":{"id":0,"name":"Number 0"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 19, 'category.created', -1, 1795523545640, '{"id":"evt_19_U7W7vrLy","sequence":19,"type":"category.created","timestamp":"2026-11-24T12:32:25.640Z","requestId":"01a20d8b-0a28-73b6-8711-0a4b2900c6a7","actor":"key:1","data":{"id":-1,"name":"Number -1"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 20, 'category.created', 9007199254740993, 1795523545641, '{"id":"evt_20_71QHrKHT","sequence":20,"type":"category.created","timestamp":"2026-11-24T12:32:25.641Z","requestId":"01a20d8b-0a29-738d-97c0-16601935a9a5","actor":"key:1","data":{"id":9007199254740993,"name":"Number 9007199254740993"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 21, 'category.created', 3, 1795523545643, '{"id":"evt_21_1vw30YdH","sequence":21,"type":"category.created","timestamp":"2026-11-24T12:32:25.643Z","requestId":"01a20d8b-0a2b-757e-9452-789364c1602e","actor":"key:1","data":{"id":3,"name":"Number 3"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 22, 'category.created', 2, 1795523545644, '{"id":"evt_22_EnMntMfx","sequence":22,"type":"category.created","timestamp":"2026-11-24T12:32:25.644Z","requestId":"01a20d8b-0a2c-77c7-8329-2e0391af47c9","actor":"key:1","data":{"id":2,"name":"Nothing"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 23, 'category.deleted', 2, 1795523545645, '{"id":"evt_23_EkD7aVJq","sequence":23,"type":"category.deleted","timestamp":"2026-11-24T12:32:25.645Z","requestId":"01a20d8b-0a2d-77df-b361-9bc84c78c2b9","actor":"key:1","data":{"id":2,"name":"Nothing"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 24, 'order.created', 1, 1795523545646, '{"id":"evt_24_OpKHVwcW","sequence":24,"type":"order.created","timestamp":"2026-11-24T12:32:25.646Z","requestId":"01a20d8b-0a2e-7799-88a6-2e96f5a38801","actor":"key:1","data":{"id":1,"petId":1,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 25, 'pet.updated', 1, 1795523545646, '{"id":"evt_25_9H0AXOKQ","sequence":25,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.646Z","requestId":"01a20d8b-0a2e-7799-88a6-2e96f5a38801","actor":"key:1","data":{"id":1,"name":"Rex","categoryId":-9223372036854775808,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 26, 'order.created', 2, 1795523545649, '{"id":"evt_26_0EcJmykN","sequence":26,"type":"order.created","timestamp":"2026-11-24T12:32:25.649Z","requestId":"01a20d8b-0a31-72a6-acfd-0fe5932cba02","actor":"key:1","data":{"id":2,"petId":3,"quantity":1,"status":"pending","complete":false,"shipDate":"2026-12-24T08:00:00.500Z"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 27, 'pet.updated', 3, 1795523545649, '{"id":"evt_27_1RLpAAId","sequence":27,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.649Z","requestId":"01a20d8b-0a31-72a6-acfd-0fe5932cba02","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 28, 'order.created', 3, 1795523545650, '{"id":"evt_28_AFMUmWg0","sequence":28,"type":"order.created","timestamp":"2026-11-24T12:32:25.650Z","requestId":"01a20d8b-0a32-71dd-adc2-10290c30b6d9","actor":"key:1","data":{"id":3,"petId":5,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 29, 'pet.updated', 5, 1795523545650, '{"id":"evt_29_Gicu7mCR","sequence":29,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.650Z","requestId":"01a20d8b-0a32-71dd-adc2-10290c30b6d9","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 30, 'order.created', 4, 1795523545651, '{"id":"evt_30_2fYBsiLi","sequence":30,"type":"order.created","timestamp":"2026-11-24T12:32:25.651Z","requestId":"01a20d8b-0a33-75dd-ae6a-3c2aea024402","actor":"key:1","data":{"id":4,"petId":6,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 31, 'pet.updated', 6, 1795523545651, '{"id":"evt_31_SAugozEl","sequence":31,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.651Z","requestId":"01a20d8b-0a33-75dd-ae6a-3c2aea024402","actor":"key:1","data":{"id":6,"name":"﻿NULL","categoryId":3,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 32, 'order.updated', 2, 1795523545653, '{"id":"evt_32_a1vz2p5u","sequence":32,"type":"order.updated","timestamp":"2026-11-24T12:32:25.653Z","requestId":"01a20d8b-0a35-7237-b370-3d00d10bc1b6","actor":"key:1","data":{"id":2,"petId":3,"quantity":1,"status":"shipped","complete":true,"shipDate":"2026-12-24T08:00:00.500Z"},"previous":{"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 33, 'pet.updated', 3, 1795523545653, '{"id":"evt_33_SE7vjPdJ","sequence":33,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.653Z","requestId":"01a20d8b-0a35-7237-b370-3d00d10bc1b6","actor":"key:1","data":{"id":3,"name":"é is not é","categoryId":0,"status":"sold"},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 34, 'order.updated', 3, 1795523545656, '{"id":"evt_34_3tZezu9g","sequence":34,"type":"order.updated","timestamp":"2026-11-24T12:32:25.656Z","requestId":"01a20d8b-0a38-7717-aa76-92c96c138928","actor":"key:1","data":{"id":3,"petId":5,"quantity":1,"status":"cancelled","complete":false},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 35, 'pet.updated', 5, 1795523545656, '{"id":"evt_35_7XSzV1Gp","sequence":35,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.656Z","requestId":"01a20d8b-0a38-7717-aa76-92c96c138928","actor":"key:1","data":{"id":5,"name":" Rex ","categoryId":9007199254740993,"status":"available"},"previous":{"status":"pending"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 36, 'order.updated', 4, 1795523545657, '{"id":"evt_36_OQPYTlKQ","sequence":36,"type":"order.updated","timestamp":"2026-11-24T12:32:25.657Z","requestId":"01a20d8b-0a39-76a7-acee-aa84645efcdb","actor":"key:1","data":{"id":4,"petId":6,"quantity":1,"status":"pending","complete":false},"previous":{}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (1, 37, 'pet.updated', 1, 1795523545681, '{"id":"evt_37_TBcf29dG","sequence":37,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.681Z","requestId":"01a20d8b-0a51-753a-a2f0-0b3f6d23ff02","actor":"key:1","data":{"id":1,"name":"Rex II","categoryId":-9223372036854775808,"status":"pending"},"previous":{"name":"Rex"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 1, 'pet.created', 1, 1795523545660, '{"id":"evt_1_P7pfNE3x","sequence":1,"type":"pet.created","timestamp":"2026-11-24T12:32:25.660Z","requestId":"01a20d8b-0a3c-75bc-ab58-d6619822c72d","actor":"key:3","data":{"id":1,"name":"Ada","categoryId":7,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 2, 'pet.created', 2, 1795523545662, '{"id":"evt_2_DD3Rmohq","sequence":2,"type":"pet.created","timestamp":"2026-11-24T12:32:25.662Z","requestId":"01a20d8b-0a3e-73e4-a736-23d9f4c37e33","actor":"key:3","data":{"id":2,"name":"Bo","categoryId":9223372036854775807,"status":"available"}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 3, 'order.created', 1, 1795523545664, '{"id":"evt_3_HV5CktYi","sequence":3,"type":"order.created","timestamp":"2026-11-24T12:32:25.664Z","requestId":"01a20d8b-0a40-7289-be69-19ef49db4707","actor":"key:3","data":{"id":1,"petId":1,"quantity":1,"status":"pending","complete":false}}');
INSERT INTO events (workspace_id, sequence, type, record_id, at, json) VALUES (2, 4, 'pet.updated', 1, 1795523545664, '{"id":"evt_4_VJ9e21K5","sequence":4,"type":"pet.updated","timestamp":"2026-11-24T12:32:25.664Z","requestId":"01a20d8b-0a40-7289-be69-19ef49db4707","actor":"key:3","data":{"id":1,"name":"Ada","categoryId":7,"status":"pending"},"previous":{"status":"available"}}');
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'cancelOrder', 'cancel-3', '6316cda8e30105b43fee6e46db36e8888660646720f95a78040fe5bd320f2d13', 'null', 1795609945656);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createOrder', 'order-1', 'eb905abe33e0baa3eca01aadfc96ba42b23b08546c5526b769a518c2b89e3642', '{"petId":1,"note":"For Zoë̈, “on Monday”\n— ring twice 🔔","id":1,"status":"pending"}', 1795609945646);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-0', '3bab82db82054843b145539b3627784bef446463b97479f50baa4050dda126e6', '{"name":"Rex","categoryId":-9223372036854775808,"status":"available","id":1}', 1795609945601);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-1', '59f00fe448404dd3a0a48747743a84890eea52d2ded052517221c12c7f02ec8a', '{"name":"Müsli","categoryId":9223372036854775807,"status":"sold","id":2}', 1795609945610);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-10', '4bfb0efd0df70f7c2bc310e7569a920c319e67fc7038aa93a920b7591e2001cd', '{"name":"😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀","categoryId":9007199254740993,"status":"available","id":11}', 1795609945622);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-2', '51b8efd4912d83bd121068cce27648fc9247924a59d991816d32c67a4a0d049e', '{"name":"é is not é","categoryId":0,"status":"available","id":3}', 1795609945611);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-3', '5f9f6286a2549ef6a6d99d6d6033d21200421070720edd2037f1a2bfc8b3a4cc', '{"name":"O''Malley \\ \"quoted\" \\x41 {a,b} %s $1","categoryId":-1,"status":"pending","id":4}', 1795609945613);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-4', 'ab5da4a2f3c30180b0c0c8c5025b02b921ba95c1c83467d5597a93861df3abfd', '{"name":" Rex ","categoryId":9007199254740993,"status":"available","id":5}', 1795609945614);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-5', 'aca9de0ba83ea94815a5743426b0ca4c1475d15e76f2b82d6770ac95c15a98e4', '{"name":"﻿NULL","categoryId":3,"status":"available","id":6}', 1795609945615);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-6', '2b68223858a232add014862403ff3aa1c42dd332f1a0e75c040dba2e14392150', '{"name":"ß ẞ ı İ ﬁ ς Σ","categoryId":-9223372036854775808,"status":"sold","id":7}', 1795609945616);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-7', 'ada567690d0270a547a66ce53a7b6879f07eec822b7da34dd2ab467200a6b539', '{"name":"👩‍👩‍👧‍👦","categoryId":9223372036854775807,"status":"available","id":8}', 1795609945618);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-8', 'e675e9e8f40a98098a4e2f6ac2e13c4a25a4ec6440579c2c7f7f102ac419b0e2', '{"name":"􏿿� ‮","categoryId":0,"status":"pending","id":9}', 1795609945619);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'createPet', 'delivery-9', 'd5f2e03420a59af7d68acf2fddf43379ef5e9aecee562bed60114617fb8741b6', '{"name":"مرحبا が","categoryId":-1,"status":"available","id":10}', 1795609945621);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'deletePet', '~', '5cd6a5bbc976ec8a67d306be3a6d3f1853e26f42dcc572fdc125e2099b1fbe12', 'null', 1795609945629);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'updateOrder', 'ship-2', '9608e83a6398065f8572f44eb9cb64bacd18030442bcc05da3cfccc829b0cf3f', '{"id":2,"petId":3,"status":"shipped","shipDate":1.7980992005e+12,"note":"For Zoë̈, “on Monday”\n— ring twice 🔔"}', 1795609945653);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (1, 'updatePet', 'a"b\c', 'e63a4e2ab1b60a7c1288b426d70292bb81e931e93b553d3f89a6afecef348fb1', '{"id":2,"name":"Müsli the Second","categoryId":9223372036854775807,"status":"available"}', 1795609945625);
INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at) VALUES (2, 'createPet', 'delivery-0', '63b288e4928656a56ef487f99e16defb5a36f87de182552d302a25f626adb071', '{"name":"Ada","categoryId":7,"id":1,"status":"available"}', 1795609945660);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (1, 1, 'Site “Müller” \ 🐕', '3b7915b35fed48306904b0a6a807b3438758ff559a23c2ddeedfebae108ed88f', 'yyrp', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795523543714, NULL, NULL, 0, 1795523520000);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (2, 1, 'reader', '9d100eb42f4d239252c4544df8550bd6eb49cf37a576c9c033ee5beca9e703f4', 'uMyB', 'pets:read', '600/min', 1795523544214, 2110883544214, NULL, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (3, 2, 'shop', '20ba26712555cf8370515ce596a9ed65ca1ab4e27c86b3fb8220bae994a24730', 'ipD7', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795523544383, NULL, NULL, 0, 1795523520000);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (4, 1, 'replaced', 'fce07e78a7f49f5ab396df39c7bfb5b05c536e0ec63e30be259afb1865263c39', 'WDoE', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795523544551, NULL, 1795609945084, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (5, 1, 'revoked', '079f8f54ac78dbc3a72fe1ce9f05b288659e66837e2274ae3d45e784bdae7f6a', 'wKXC', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795523544735, NULL, 1795523545245, 1, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (7, 1, 'replaced', '5ccd97b7b52d12049eb8ef9fd8857a8cf834cf5159cf5e819047dacbc6e13202', 'OPoX', 'pets:read pets:write orders:read orders:write events:read', NULL, 1795523545084, NULL, NULL, 0, NULL);
INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at, is_revoked, last_used_at) VALUES (8, 1, 'hooks', '422927ef025a37957585d07568e0ca08d48d7b761e33beebf51f57504a637c44', 'faKQ', 'webhooks:manage', NULL, 1795523545406, NULL, NULL, 0, 1795523520000);
INSERT INTO deprecated_calls (workspace_id, api_key_id, operation_id, call_count, last_called_at) VALUES (1, 1, 'getPet', 1, 1795523545659);
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (1, 1795523543714, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":1,"workspace":"default","name":"Site “Müller” \\ 🐕","digest":"3b7915b35fed48306904b0a6a807b3438758ff559a23c2ddeedfebae108ed88f","lastFour":"yyrp","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '420121e70221971d03e6711c96321126ad94275556fd244aa9bdb7770719055d');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (2, 1795523543889, 'uid 0 "unknown" on vm', 'workspace_created', '{"workspace":"shop"}', '58705b797785159af5dd837e82229a523a6fa5d8a85e6ee6a58cca403f753a40');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (3, 1795523544053, 'uid 0 "unknown" on vm', 'workspace_created', '{"workspace":"gone"}', '899ad5157241270de3dee0410a60db473983dbfab43fa029c58449f18229d59b');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (4, 1795523544214, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":2,"workspace":"default","name":"reader","digest":"9d100eb42f4d239252c4544df8550bd6eb49cf37a576c9c033ee5beca9e703f4","lastFour":"uMyB","scopes":"pets:read","rateLimit":"600/min","expiresAt":2110883544214}', '978869f88159ca59456f821bdedd79f7a1380a974391fb419dddf1c2c49d4ed7');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (5, 1795523544383, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":3,"workspace":"shop","name":"shop","digest":"20ba26712555cf8370515ce596a9ed65ca1ab4e27c86b3fb8220bae994a24730","lastFour":"ipD7","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', 'b29d6e84b94fdd515f54cd757461b8628032fdede785a59a28e1da4d817734f9');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (6, 1795523544551, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":4,"workspace":"default","name":"replaced","digest":"fce07e78a7f49f5ab396df39c7bfb5b05c536e0ec63e30be259afb1865263c39","lastFour":"WDoE","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '5498b24c4df75b1ab619f1b990f2693f96ac69f3f9a5e18c3262d3beedd64a03');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (7, 1795523544735, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":5,"workspace":"default","name":"revoked","digest":"079f8f54ac78dbc3a72fe1ce9f05b288659e66837e2274ae3d45e784bdae7f6a","lastFour":"wKXC","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', '051080079d4bebbb230a00bdc356cecf69aa629c1714e1acf46b8bcca84625bd');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (8, 1795523544908, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":6,"workspace":"gone","name":"gone","digest":"38eba5360f5a4c94f0b880660dc30796d87a49168aee3adba4992899c554655b","lastFour":"u9bd","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null}', 'def85a4db9462a388a139ad75b8f0a967988786cead59d24a8aa5870131a93ff');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (9, 1795523545084, 'uid 0 "unknown" on vm', 'api_key_rotated', '{"apiKeyId":7,"workspace":"default","name":"replaced","digest":"5ccd97b7b52d12049eb8ef9fd8857a8cf834cf5159cf5e819047dacbc6e13202","lastFour":"OPoX","scopes":"pets:read pets:write orders:read orders:write events:read","rateLimit":null,"replaces":4,"replacedEndsAt":1795609945084}', 'fc0fb8f61789f9ae785307c07e15032fd49c881267dbd43488dbf118c9929873');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (10, 1795523545245, 'uid 0 "unknown" on vm', 'api_key_revoked', '{"apiKeyId":5,"endsAt":1795523545245}', '8d8d2301b487f94e6403aa8a0bd2a4c1ce13e72974efeb8bf12fe7ddd6549aa2');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (11, 1795523545406, 'uid 0 "unknown" on vm', 'api_key_created', '{"apiKeyId":8,"workspace":"default","name":"hooks","digest":"422927ef025a37957585d07568e0ca08d48d7b761e33beebf51f57504a637c44","lastFour":"faKQ","scopes":"webhooks:manage","rateLimit":null}', '84f44d6d7fa5ed86521a4182c50c65cae06b3ac2a8491b1173f6b2f945853522');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (12, 1795523545671, 'uid 0 "unknown" on vm', 'webhook_created', '{"webhookId":1,"workspace":"default","url":"http://127.0.0.1:1/all","types":null,"status":"enabled","position":36,"caller":"key:8"}', '8c720096e51c741e0aa2f4f5aae1592eaf637446458e35a9eab979f6ca800bd7');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (13, 1795523545675, 'uid 0 "unknown" on vm', 'webhook_created', '{"webhookId":2,"workspace":"default","url":"http://127.0.0.1:1/some","types":"order.* pet.created","status":"enabled","position":36,"caller":"key:8"}', 'e5d2370ff0588f12ac1bf5e284a17832882d373df13812f7f4cd7a4045bb1bef');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (14, 1795523545676, 'uid 0 "unknown" on vm', 'webhook_changed', '{"webhookId":2,"workspace":"default","url":"http://127.0.0.1:1/some","types":"order.* pet.created","status":"paused","position":36,"changed":"status","caller":"key:8"}', '9584d3c0fb34d4fbb95c1f153322980b21953352351babbf5ddb7b0e7c0f05e0');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (15, 1795523545679, 'uid 0 "unknown" on vm', 'webhook_secret_rotated', '{"webhookId":1,"workspace":"default","url":"http://127.0.0.1:1/all","types":null,"status":"enabled","position":36,"previousSecretExpiresAt":1796128345679,"caller":"key:8"}', 'b493ceb658de7715221e31efcc160b02897c516e67a3dca9edb8c97cdca9d361');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (16, 1795523545714, 'uid 0 "unknown" on vm', 'webhook_changed', '{"webhookId":1,"workspace":"default","url":"http://127.0.0.1:1/all","types":null,"status":"paused","position":36,"changed":"status","caller":"key:8"}', 'a8e4ec5f58b7c68f65ec496ceca9ff617c2e1d133997c7e5500014adc8be910f');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (17, 1795523545877, 'uid 0 "unknown" on vm', 'api_keys_deleted', '{"workspace":"gone","count":1}', '86def6df2aaa4e88ee82d17cb4da10cd3f8637b5ec3d070dd9a8c1f396e3748c');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (18, 1795523545877, 'uid 0 "unknown" on vm', 'workspace_deleted', '{"workspace":"gone"}', '20c975482d803740002fe59e565b442da60a424df34f85c1851e85b51c657c49');
INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (19, 1795523546228, 'uid 0 "unknown" on vm', 'console_signed_in', '{"session":"b1de1a94a94a7b5e","kind":"owner","apiKeyId":null,"workspace":"default","address":"127.0.0.1"}', '964664d5b178e54e95d9228b7f51b2ed9dc80382ffc72b1383246ae8fb01a5ce');
INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at, address) VALUES ('a2efa70f4f0b045212d94d17bad90819384c0dbfd983f1c2a4f59d0a068d112d', 1, 1, NULL, 1795523546041, 1795523546041, 1795523846041, NULL);
INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at, address) VALUES ('b1de1a94a94a7b5eaa2d6737ef9629b285fbdfd5d3c43c1e8bdff1e93f89fd45', 0, 1, NULL, 1795523546228, 1795523546228, 1795566746228, '127.0.0.1');
INSERT INTO webhooks (workspace_id, id, url, types, description, secret, previous_secret, previous_secret_expires_at, position, revision, created_at, digest, status, read_to, failure_count, failing_since, retry_step, next_attempt_at, lease_holder, lease_until) VALUES (1, 1, 'http://127.0.0.1:1/all?shop=m%C3%BCsli', NULL, NULL, 'whsec_lgqLaATzeYVg6G7joqXrQYFkBSorXNZu806waIdrT7E=', 'whsec_syYbZu2ZCJa3AQ1VEMgGMn3OzIxeOhUBvZXawNbySn0=', 1796128345679, 36, 3, 1795523545671, '18c56ef81576378f', 'paused', 37, 1, 1795523545704, 0, NULL, NULL, 1795523545714);
INSERT INTO webhooks (workspace_id, id, url, types, description, secret, previous_secret, previous_secret_expires_at, position, revision, created_at, digest, status, read_to, failure_count, failing_since, retry_step, next_attempt_at, lease_holder, lease_until) VALUES (1, 2, 'http://127.0.0.1:1/some', 'order.* pet.created', NULL, 'whsec_TRjM/A672B6jSX9WVckfhONV3RSH354KZH0AQ8QhBDw=', NULL, NULL, 36, 2, 1795523545675, '9998a4dfedc47ef0', 'paused', 36, 0, NULL, 0, NULL, NULL, NULL);
INSERT INTO webhook_retries (workspace_id, webhook_id, sequence, attempt, next_attempt_at) VALUES (1, 1, 37, 1, 1795523550054);
INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, at, attempt, http_status, error, milliseconds, response_excerpt) VALUES (1, 1, 1, 'evt_37_TBcf29dG', 1795523545704, 1, NULL, 'connection_failed', 7, NULL);
