import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory, programOf } from '../paths.ts';
import { DataDirectoryError, type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { startMaintenance } from './embedded-maintenance.ts';
import { type EmbeddedServer, openServer } from './embedded-server.ts';

const DATABASE = 'embedded';
const UNFINISHED = 'embedded.init-';
/** UNFINISHED with a UUID, so that nothing of anyone else, such as embedded.init-backup, is ever taken for ours. */
const UNFINISHED_PATTERN = /^embedded\.init-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface EmbeddedOptions {
  /** Gets a line for people about anything that takes seconds or goes wrong in the background. */
  onProgress?: (message: string) => void;
}

/**
 * Opens the embedded database in `<dataDir>/embedded`, and makes both when they are missing. The directory
 * is locked until `close()` or the end of the process. A committed transaction survives a kill of the process
 * at any moment, but not a loss of power: PGlite cannot fsync.
 * @throws {DataDirectoryError} when the directory is in use, not writable, or holds something else
 */
export async function openEmbedded(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const directory = resolve(dataDir);
  const onProgress = options.onProgress ?? (() => {});
  try {
    await makeDirectory(directory);
    const lock = await lockDirectory(directory);
    try {
      await prepare(directory, onProgress);
      return withMaintenance(await openDatabase(join(directory, DATABASE), onProgress), lock, onProgress);
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explain(error, directory);
  }
}

/** `close` frees the directory, too, and may be called again. */
function withMaintenance(
  server: EmbeddedServer,
  lock: DirectoryLock,
  onProgress: (message: string) => void,
): EmbeddedServer {
  const stopMaintenance = startMaintenance(server, (error) =>
    onProgress(`Maintenance of the embedded database failed, it is tried again in a minute: ${error}`),
  );
  const shut = async () => {
    await stopMaintenance();
    await server.close();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= shut().finally(lock.release);
    return closing;
  };
  return { ...server, close };
}

/** Leaves a complete database at `<directory>/embedded`. The caller holds the lock. */
async function prepare(directory: string, onProgress: (message: string) => void): Promise<void> {
  const names = await readdir(directory);
  for (const name of names.filter((name) => UNFINISHED_PATTERN.test(name))) {
    await removeUnfinished(join(directory, name));
  }
  if (names.includes(DATABASE)) return assertDatabase(join(directory, DATABASE));
  await assertRoom(directory);
  onProgress('Creating the embedded database (first start only: it takes about 20 seconds in all)');
  await create(directory);
}

/** A first start leaves 95 MB, of the database with all that ships and of its log of changes, and the log may double. */
const FIRST_START_BYTES = 160 * 1024 * 1024;

async function assertRoom(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const megabytes = (bytes: number) => Math.floor(bytes / 1024 / 1024);
  if (bavail * bsize >= FIRST_START_BYTES) return;
  throw new DataDirectoryError(
    `The data directory ${directory} has ${megabytes(bavail * bsize)} MB of free space, and a first start needs ` +
      `${megabytes(FIRST_START_BYTES)} MB. Make room, or set DATA_DIR to a directory on another disk.`,
  );
}

/** Refuses what is not a database, so that it is never written into. */
async function assertDatabase(path: string): Promise<void> {
  await readFile(join(path, 'PG_VERSION')).catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
    const is = await stat(path).then(
      () => 'exists but is not a database. Move it away, or set DATA_DIR to another directory.',
      () => 'is gone. Put it back, or a copy of it.',
    );
    throw new DataDirectoryError(`${path} ${is}`, { cause });
  });
}

/** Makes the database beside its place and renames it there, so that it is there whole or not at all. */
async function create(directory: string): Promise<void> {
  const unfinished = join(directory, `${UNFINISHED}${randomUUID()}`);
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await runInitialiser(unfinished);
    await rename(unfinished, join(directory, DATABASE));
  } catch (error) {
    await removeUnfinished(unfinished);
    throw error;
  }
  await syncDirectory(directory);
}

async function runInitialiser(path: string): Promise<void> {
  const { file, execArgv } = programOf('db/embedded-init');
  const child = spawn(process.execPath, [...execArgv, file, path], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  const [code, signal] = await once(child, 'close');
  if (code === 0) return;
  const reason =
    output.match(/^.*(?:Error|FATAL|PANIC)\b.*$/m)?.[0] ?? (output.trim() || `ended by ${signal ?? code}`);
  throw new DataDirectoryError(
    `The embedded database could not be created in ${path}: ${reason.trim()}. ` +
      'It needs 800 MB of memory for a few seconds.',
  );
}

/** A killed initialisation may write for another moment. What cannot be removed now is removed at the next start. */
async function removeUnfinished(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
}

/** Makes the rename durable. Windows has no such call and needs none. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

async function openDatabase(path: string, onProgress: (message: string) => void): Promise<EmbeddedServer> {
  const beforeOpening = async () => {
    // It may have gone while it was open: another one in its place would be an empty one.
    await assertDatabase(path);
    // PostgreSQL's own lock, left behind by a kill: an empty one, of a kill while it was written, would bar every start. The
    // directory is locked by us.
    await rm(join(path, 'postmaster.pid'), { force: true });
  };
  try {
    return await openServer({ dataDir: path }, { beforeOpening, onProgress });
  } catch (cause) {
    if (cause instanceof DataDirectoryError) throw cause;
    throw new DataDirectoryError(
      `The embedded database in ${path} does not open: ${(cause as Error).message} ` +
        'Restore a copy of the directory, or move it away to start with an empty database.',
      { cause },
    );
  }
}

/** The usual failures of a directory in words; anything else as it is. */
function explain(error: unknown, directory: string): unknown {
  if (error instanceof DataDirectoryError) return error;
  const reason = reasonOf((error as NodeJS.ErrnoException).code);
  if (reason === undefined) return error;
  return new DataDirectoryError(
    `The data directory ${directory} cannot be used: ${reason}. Correct that, or set DATA_DIR to another directory.`,
    { cause: error },
  );
}

function reasonOf(code: string | undefined): string | undefined {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read and write there';
    case 'EROFS':
      return 'its file system is read-only';
    case 'ENOENT':
      return 'nothing can be made at this path';
    case 'ENOSPC':
      return 'the disk is full';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it, or a part of its path, is not a directory';
    default:
      return undefined;
  }
}
