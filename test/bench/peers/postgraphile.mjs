import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

/** PostGraphile 5 over the product's tables, as it comes, with a pool of the same size as all others have. */
const preset = {
  extends: [PostGraphileAmberPreset],
  // Without this it would not order by columns that have no index of their own.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, poolConfig: { max: 8 } })],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
};

const server = createServer();
server.on('error', (error) => {
  throw error;
});
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(Number(process.env.PORT), '127.0.0.1');
