import { lookupTable } from '../base/lookup-table.ts'
import { type ApiProcessOptions, isLoopback } from '../controlplane/api-process.ts'
import { writePrivately } from '../controlplane/ports-data-dir.ts'
import { authorizationModes, authorizationOptions } from './authorization-options.ts'
import { type CommandError, integer, type Ports, repeated, text, wrongQuestion } from './command.ts'
import { type ServingValues, servingLimits } from './serving-options.ts'

/** The address of the Kubernetes API, for commands that serve it. */
export const listeningOptions = {
  bindAddress: text({ summary: 'Address to listen on', value: 'ADDRESS', default: '127.0.0.1' }),
  port: integer({ summary: 'Port to listen on; 0 selects a free port', default: 6443, min: 0, max: 65535 }),
  kubeconfig: text({
    summary: 'File to write the kubeconfig to (default: kubeconfig in the data directory)',
    value: 'FILE',
  }),
} as const

export const consoleHostOption = repeated({
  summary: 'Additional host name at which browsers may open the console; IP addresses and localhost are always allowed',
  value: 'NAME',
})

/** The storage limit and the authorization. */
export const accessOptions = {
  quotaBackendBytes: integer({
    summary:
      'Maximum estimated memory of the stored objects, in bytes (default: 2 GiB, or half of the heap limit if that is less)',
    min: 0,
  }),
  ...authorizationOptions,
} as const

interface EndpointValues extends ServingValues {
  readonly authorizationMode: string
  readonly bindAddress: string
  readonly port: number
  readonly quotaBackendBytes?: number | undefined
}

export function endpointOf(options: EndpointValues) {
  return {
    host: options.bindAddress,
    port: options.port,
    authorizationModes: authorizationModes(options),
    ...servingLimits(options),
    ...(options.quotaBackendBytes === undefined ? {} : { quotaBytes: options.quotaBackendBytes }),
  } satisfies Partial<ApiProcessOptions>
}

export function warnOfAddress(address: string, stderr: Ports['stderr']): void {
  if (isLoopback(address)) return
  stderr.write(`berth: warning: listening on ${address}, which is reachable from other machines\n`)
}

/** One-line errors for failures at startup that a user can fix. */
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
