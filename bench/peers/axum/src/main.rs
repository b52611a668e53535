//! A plain, careful service of the usual kind in Rust: axum, rusqlite, one commit a request.
//! The operations, the key check, the keyset pages, the durability and the exact 64-bit integers are those of the
//! Animal Store Service; what it lacks (workspaces, strict mode, request ids, …) makes it faster.
//!
//! usage: axum-rusqlite PORT DATABASE ANIMALS.json, with the key in API_KEY

use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, body::to_bytes, middleware, routing::get};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{collections::HashSet, env, error::Error, fs, sync::Arc};
use tokio_rusqlite::{Connection, Params, Row, rusqlite};

const SCHEMA: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status, id)";
const FILL: &str = "INSERT INTO pets (name, categoryId, status)
  SELECT value ->> 'name', value ->> 'categoryId', value ->> 'status' FROM json_each(?, '$.pets')";
const INSERT: &str = "INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?) RETURNING *";
const PAGE: &str = "SELECT * FROM pets WHERE id < ?1 AND ?2 IS NULL ORDER BY id DESC LIMIT ?3";
const STATUS_PAGE: &str = "SELECT * FROM pets WHERE id < ?1 AND status = ?2 ORDER BY id DESC LIMIT ?3";

/// One for reads and one for writes, each on its own thread. So SQLite does not block the runtime, and a write blocks no read.
type Databases = State<(Connection, Connection)>;
type KeyDigests = Arc<HashSet<Vec<u8>>>;
type Failure = (StatusCode, &'static str);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pet {
    #[serde(skip_deserializing)]
    id: i64,
    name: String,
    category_id: i64,
    status: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    limit: Option<u16>,
    status: Option<String>,
    cursor: Option<i64>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [port, path, animals] = &arguments[..] else { panic!("three arguments, please") };
    let [reader, writer] = [rusqlite::Connection::open(path)?, rusqlite::Connection::open(path)?];
    writer.execute_batch(SCHEMA)?;
    writer.execute(FILL, [fs::read_to_string(animals)?])?;
    // Only the digests of keys are kept, in memory.
    let keys = KeyDigests::new([Sha256::digest(env::var("API_KEY")?).to_vec()].into());
    let router = Router::new()
        .route("/v1/pets", get(list).post(create))
        .route("/v1/pets/{id}", get(find))
        .layer(middleware::from_fn_with_state(keys, guard))
        .with_state((reader.into(), writer.into()));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    Ok(axum::serve(listener, router).await?)
}

/// Rejects requests without a valid key, and gives all errors one format, also those of axum's extractors.
async fn guard(State(keys): State<KeyDigests>, request: Request, next: middleware::Next) -> Response {
    let header = request.headers().get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
    let token = header.and_then(|it| it.strip_prefix("Bearer ")).unwrap_or_default();
    let response = match keys.contains(Sha256::digest(token).as_slice()) {
        true => next.run(request).await,
        false => (StatusCode::UNAUTHORIZED, "No valid key").into_response(),
    };
    let status = match response.status() {
        status if status.is_success() => return response,
        StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
        status => status,
    };
    let text = to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let (code, message) = (status.canonical_reason(), String::from_utf8_lossy(&text));
    let body = serde_json::json!({ "code": code, "message": message, "status": status.as_u16() });
    (status, Json(body)).into_response()
}

async fn list(State((reader, _)): Databases, Query(page): Query<Page>) -> Result<impl IntoResponse, Failure> {
    let (limit, below) = (page.limit.unwrap_or(20), page.cursor.unwrap_or(i64::MAX));
    check((1..=100).contains(&limit), "limit must be 1 to 100")?;
    check(is_status(&page.status), "status must be one of available, pending, sold")?;
    let filter = page.status.iter().map(|it| format!("&status={it}")).collect::<String>();
    let sql = if page.status.is_some() { STATUS_PAGE } else { PAGE };
    let mut pets = run(reader, sql, (below, page.status, limit + 1)).await?;
    let has_more = pets.len() > limit.into();
    pets.truncate(limit.into());
    let last = pets.last().map_or(0, |it| it.id);
    let link = format!("</v1/pets?limit={limit}{filter}&cursor={last}>; rel=\"next\"");
    Ok((has_more.then_some([(header::LINK, link)]), Json(pets)))
}

async fn find(State((reader, _)): Databases, Path(id): Path<i64>) -> Result<Json<Pet>, Failure> {
    let found = run(reader, "SELECT * FROM pets WHERE id = ?", [id]).await?.pop();
    found.map(Json).ok_or((StatusCode::NOT_FOUND, "No such animal"))
}

async fn create(State((_, writer)): Databases, Json(new): Json<Pet>) -> Result<impl IntoResponse, Failure> {
    check((1..=255).contains(&new.name.chars().count()), "name must have 1 to 255 characters")?;
    check(is_status(&new.status), "status must be one of available, pending, sold")?;
    let values = (new.name, new.category_id, new.status.unwrap_or("available".into()));
    let pet = run(writer, INSERT, values).await?.remove(0);
    Ok((StatusCode::CREATED, [(header::LOCATION, format!("/v1/pets/{}", pet.id))], Json(pet)))
}

fn is_status(text: &Option<String>) -> bool {
    matches!(text.as_deref(), None | Some("available" | "pending" | "sold"))
}

fn check(is_valid: bool, message: &'static str) -> Result<(), Failure> {
    if is_valid { Ok(()) } else { Err((StatusCode::BAD_REQUEST, message)) }
}

async fn run(on: Connection, sql: &'static str, values: impl Params + Send + 'static) -> Result<Vec<Pet>, Failure> {
    let pet = |row: &Row| Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status: row.get(3)? });
    let query = on.call(move |database| database.prepare_cached(sql)?.query_map(values, pet)?.collect());
    query.await.map_err(|error: tokio_rusqlite::Error| {
        eprintln!("{error}");
        (StatusCode::INTERNAL_SERVER_ERROR, "Try again later")
    })
}
