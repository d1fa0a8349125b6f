import { CITUS_ADVICE, hasCitus, newCitusDatabase, startCitus } from '../test/support/citus-server.ts';

/** Starts a coordinator and two workers of Citus for tests and trials, until Ctrl-C. Their data is thrown away. */
if (!hasCitus()) {
  console.error(`No Citus on this machine. ${CITUS_ADVICE}`);
  process.exit(1);
}
const cluster = await startCitus();
const databaseUrl = await newCitusDatabase(cluster.superuserUrl, 'cardledger_owner', {
  name: 'cardledger_trial',
});
process.stdout.write(`TEST_CITUS_URL=${cluster.superuserUrl}
DATABASE_URL=${databaseUrl}
Ctrl-C stops the coordinator and its two workers, and removes what they hold.\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await cluster.stop();
    process.exit(0);
  });
