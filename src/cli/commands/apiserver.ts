import { join, resolve } from 'node:path'
import { lookupTable } from '../../base/lookup-table.ts'
import { RealClock } from '../../base/real-clock.ts'
import { isLoopback } from '../../controlplane/api-process.ts'
import { apiServerControllers } from '../../controlplane/api-server-controllers.ts'
import { startEmbedded } from '../../controlplane/embedded.ts'
import { writePrivately } from '../../controlplane/ports-data-dir.ts'
import { readRelease } from '../../controlplane/release-flags.ts'
import { admissionOf, admissionOptions } from '../admission-options.ts'
import { authorizationModes, authorizationOptions } from '../authorization-options.ts'
import { type CommandError, choice, defineCommand, exitCodes, flag, integer, text, wrongQuestion } from '../command.ts'
import { identityOf, identityOptions } from '../identity-options.ts'
import { logLevels, openLog } from '../log-file.ts'
import { releaseFlags, releaseOptions } from '../release-options.ts'
import { servingLimits, servingOptions } from '../serving-options.ts'

export const command = defineCommand({
  name: 'apiserver',
  summary: 'Run only the Kubernetes API server, for tests of controllers and for tools',
  description:
    'Serves the Kubernetes API in a single process. All data is stored in the data directory, and a write is acknowledged ' +
    'when it is durable. Prints one line when it is ready. Ctrl-C stops it.',
  args: [],
  options: {
    dataDir: text({
      summary: 'Directory for objects, keys and the kubeconfig',
      value: 'DIR',
      default: '.berth/apiserver',
    }),
    ephemeral: flag({ summary: 'Keep everything in memory' }),
    bindAddress: text({ summary: 'Address to listen on', value: 'ADDRESS', default: '127.0.0.1' }),
    port: integer({ summary: 'Port to listen on; 0 selects a free port', default: 6443, min: 0, max: 65535 }),
    kubeconfig: text({
      summary: 'File to write the kubeconfig to (default: kubeconfig in the data directory)',
      value: 'FILE',
    }),
    quotaBackendBytes: integer({
      summary:
        'Memory that stored objects may use, estimated (default: 2 GiB, or half of the heap limit if that is less)',
      min: 0,
    }),
    ...authorizationOptions,
    ...releaseOptions,
    ...servingOptions,
    ...identityOptions,
    ...admissionOptions,
    logLevel: choice({
      summary: 'Log level of standard error; errors and requests of more than a second are logged',
      choices: logLevels,
      default: 'warn',
    }),
  },
  examples: [
    { command: 'berth apiserver', summary: 'Serve on 127.0.0.1:6443, durable in .berth/apiserver' },
    {
      command: 'berth apiserver --ephemeral --port 0 --kubeconfig /tmp/kc',
      summary: 'Serve from memory on a free port, for a test',
    },
    { command: 'kubectl --kubeconfig .berth/apiserver/kubeconfig get ns', summary: 'Use the server with kubectl' },
  ],
  run: async ({ options, stdout, stderr, cwd, files, interruption }) => {
    const release = readRelease(releaseFlags(options))
    if (!release.ok) throw wrongQuestion(release.message)
    const dataDir = options.ephemeral ? undefined : resolve(cwd, options.dataDir)
    if (!isLoopback(options.bindAddress)) {
      stderr.write(`berth: warning: listening on ${options.bindAddress}, which is reachable from other machines\n`)
    }
    const { api, close } = await startEmbedded({
      ...(dataDir === undefined ? {} : { dataDir }),
      host: options.bindAddress,
      port: options.port,
      authorizationModes: authorizationModes(options),
      ...servingLimits(options),
      ...(options.quotaBackendBytes === undefined ? {} : { quotaBytes: options.quotaBackendBytes }),
      clock: new RealClock(),
      log: await openLog(options.logLevel, undefined),
      release: release.value,
      controllers: (context) => Object.values(apiServerControllers).map((create) => create(context)),
      hasServiceAccounts: true,
      ...(await identityOf(options, files, cwd)),
      ...(await admissionOf(options, files, cwd)),
    }).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, options.bindAddress, options.port)
    })
    const kubeconfig = options.kubeconfig ?? (dataDir === undefined ? undefined : join(dataDir, 'kubeconfig'))
    if (kubeconfig !== undefined) await writeKubeconfig(resolve(cwd, kubeconfig), api.kubeconfig, close)
    const hint = kubeconfig === undefined ? '' : ` (kubeconfig: ${kubeconfig})`
    stdout.write(`berth apiserver ready at ${api.server.url}${hint}\n`)
    await untilAborted(interruption())
    await close()
    return exitCodes.done
  },
})

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}

/** One-line errors for start failures that a user can fix. */
export function explained(error: NodeJS.ErrnoException, host: string, port: number): CommandError | Error {
  if (error.code === 'EADDRINUSE')
    return wrongQuestion(`port ${port} on ${host} is already in use; pass another --port, or 0 for a free one`)
  if (error.code === 'EACCES' && error.syscall === 'listen')
    return wrongQuestion(`permission denied to listen on ${host}:${port}; pass a --port above 1023`)
  if (error.code === 'EADDRNOTAVAIL')
    return wrongQuestion(`${host} is not an address of this machine; pass another --bind-address`)
  const why = Object.hasOwn(unwritable, error.code ?? '') ? unwritable[error.code ?? ''] : undefined
  if (why !== undefined && error.path !== undefined)
    return wrongQuestion(`${error.path}: ${why}; pass another --data-dir`)
  return error
}

/** Calls `stop` if the file cannot be written. */
export async function writeKubeconfig(file: string, text: string, stop: () => Promise<void>): Promise<void> {
  await writePrivately(file, text).catch(async (error: NodeJS.ErrnoException) => {
    await stop()
    const why = Object.hasOwn(unwritable, error.code ?? '') ? unwritable[error.code ?? ''] : undefined
    if (why === undefined) throw error
    throw wrongQuestion(`${file}: ${why}; pass another --kubeconfig`)
  })
}

const unwritable = lookupTable<string>({
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ENOTDIR: 'not a directory',
  ENOENT: 'cannot create the directory',
  EEXIST: 'is a file, not a directory',
  EISDIR: 'is a directory, not a file',
  ENOSPC: 'the disk is full',
})
