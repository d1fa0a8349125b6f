import { explaining } from './cli/database.ts';
import { serve } from './cli/serve.ts';
import { loadConfig } from './config.ts';

try {
  const config = loadConfig();
  await explaining(config, () => serve(config));
} catch (error) {
  // One clear line for people.
  console.error(`cardledger cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
