# FastAPI + SQLModel, one commit a request. usage: python server.py PORT DATABASE ANIMALS.json, with the key in API_KEY

import json
from hashlib import sha256
from os import environ
from sys import argv, maxsize
from typing import Annotated, Literal

import uvicorn
from fastapi import Depends, FastAPI, Header, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy import Index, String, event, insert
from sqlmodel import Field, Session, SQLModel, create_engine, select
from starlette.exceptions import HTTPException

Int64 = Annotated[int, Field(ge=-maxsize - 1, le=maxsize)]
Limit = Annotated[int, Field(ge=1, le=100)]
Status = Literal["available", "pending", "sold"]


class NewPet(SQLModel):
    name: str = Field(min_length=1, max_length=255)
    categoryId: Int64
    status: Status = Field(default="available", sa_type=String)


class PetOut(NewPet):
    id: int


class Pet(NewPet, table=True):
    __table_args__ = (Index("pets_by_status", "status", "id"), {"sqlite_autoincrement": True})
    id: int | None = Field(default=None, primary_key=True)


def main(port, database_path, animals_path):
    engine = create_engine(f"sqlite:///{database_path}", connect_args={"timeout": 30})
    event.listen(engine, "connect", lambda it, _: it.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"))
    SQLModel.metadata.create_all(engine)
    with engine.begin() as connection, open(animals_path) as animals:
        connection.execute(insert(Pet), json.load(animals)["pets"])
    key_digests = {sha256(environ["API_KEY"].encode()).digest()}  # Only digests are kept.

    def get_session():
        with Session(engine, expire_on_commit=False) as session:
            yield session

    async def check_key(authorization: Annotated[str, Header()] = ""):
        if sha256(authorization.partition("Bearer ")[2].encode()).digest() not in key_digests:
            raise HTTPException(401, "No valid key")

    async def answer_error(_request, error):
        status = getattr(error, "status_code", 400)
        message = error.detail if isinstance(error, HTTPException) else error.errors()[0]["msg"]
        body = {"code": f"http_{status}", "message": message, "status": status}
        return Response(json.dumps(body), status, media_type="application/json")

    errors = dict.fromkeys([HTTPException, RequestValidationError], answer_error)
    app = FastAPI(dependencies=[Depends(check_key)], exception_handlers=errors)
    Db = Annotated[Session, Depends(get_session)]

    @app.get("/v1/pets", response_model=list[PetOut])
    def list_pets(db: Db, response: Response, limit: Limit = 20, status: Status | None = None, cursor: Int64 = maxsize):
        page = select(Pet).where(Pet.id < cursor).order_by(Pet.id.desc()).limit(limit + 1)
        pets = db.exec(page if status is None else page.where(Pet.status == status)).all()
        if len(pets) > limit:
            filter = "" if status is None else f"&status={status}"
            response.headers["link"] = f'</v1/pets?limit={limit}{filter}&cursor={pets[limit - 1].id}>; rel="next"'
        return pets[:limit]

    @app.get("/v1/pets/{id}", response_model=PetOut)
    def get_pet(id: Int64, db: Db):
        if pet := db.get(Pet, id):
            return pet
        raise HTTPException(404, "No such animal")

    @app.post("/v1/pets", response_model=PetOut, status_code=201)
    def create_pet(new_pet: NewPet, response: Response, db: Db):
        db.add(pet := Pet.model_validate(new_pet))
        db.commit()
        response.headers["location"] = f"/v1/pets/{pet.id}"
        return pet

    uvicorn.run(app, host="127.0.0.1", port=int(port), access_log=False, log_level="warning")


main(*argv[1:])
