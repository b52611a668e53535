// Runs at the first start of PocketBase: creates a public collection, and fills it from the file ANIMALS.

migrate((app) => {
  // The other servers keep no log of requests either.
  const settings = app.settings();
  settings.logs.maxDays = 0;
  app.save(settings);

  // Without a superuser, PocketBase would open a browser to create one.
  const superuser = new Record(app.findCollectionByNameOrId('_superusers'));
  superuser.setEmail('benchmark@example.com');
  superuser.setRandomPassword();
  app.save(superuser);

  const pets = new Collection({
    type: 'base',
    name: 'pets',
    ...{ listRule: '', viewRule: '', createRule: '' },
    fields: [
      { name: 'name', type: 'text', required: true, max: 255 },
      { name: 'categoryId', type: 'number', onlyInt: true },
      { name: 'status', type: 'select', required: true, values: ['available', 'pending', 'sold'] },
    ],
    indexes: ['CREATE INDEX pets_by_status ON pets (status, id)'],
  });
  app.save(pets);
  // Ids have 15 digits. Those of new animals are above those of the animals below, in random order.
  pets.fields.getByName('id').autogeneratePattern = '[1-9][0-9]{14}';
  app.save(pets);

  const fill = `
    INSERT INTO pets (id, name, categoryId, status)
    SELECT printf('%015d', value ->> 'id'), value ->> 'name', value ->> 'categoryId', value ->> 'status'
    FROM json_each({:animals}, '$.pets')`;
  const animals = toString($os.readFile($os.getenv('ANIMALS')));
  app.db().newQuery(fill).bind({ animals }).execute();
});
