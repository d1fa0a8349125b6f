import { useMutation } from '@urql/preact';
import { useState } from 'preact/hooks';
import { CountCollectionDocument, CreateCollectionDocument } from './generated/graphql.ts';
import { answered, keyOf } from './keys.ts';
import { InGraphiql, Problem } from './parts.tsx';

/** Makes a collection that counts for the dashboard, and opens it. */
export function NewCollection() {
  const [name, setName] = useState('');
  const [{ data, error, fetching }, create] = useMutation(CreateCollectionDocument);
  const [, change] = useMutation(CountCollectionDocument);
  const result = data?.createCollection;
  const submit = async (event: Event) => {
    event.preventDefault();
    const input = { name: name.trim() };
    const { data: made } = await create({ input: { ...input, idempotencyKey: keyOf(input) } });
    if (made) answered(input);
    if (made?.createCollection.__typename !== 'CreateCollectionPayload') return;
    const { id } = made.createCollection.collection;
    // Where this fails, the dashboard shows that it does not count, and the way to let it.
    await change({ input: { id, valued: true } });
    location.hash = `#/collection/${id}`;
  };
  return (
    <form class="new-collection" onSubmit={submit}>
      <label class="field">
        New collection
        <input
          required
          maxLength={100}
          pattern=".*\S.*"
          title="Give it a name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={fetching}>
        Create
      </button>
      <InGraphiql document={CreateCollectionDocument} variables={{ input: { name: name.trim() } }} />
      {result && 'message' in result && <Problem error={new Error(result.message)} />}
      {error && <Problem error={error} />}
    </form>
  );
}
