import { endAtOnceOnSignal } from './server/signals.ts';

// Before all else, as the rest takes a second to load.
endAtOnceOnSignal();

try {
  const { loadConfig } = await import('./config.ts');
  const { explaining } = await import('./cli/database.ts');
  const { serve } = await import('./server/serve.ts');
  const config = loadConfig();
  await explaining(config, () => serve(config));
} catch (error) {
  // One clear line for people.
  console.error(`cardledger cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
