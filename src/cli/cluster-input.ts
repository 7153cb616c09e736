// Reads the cluster for a forecast: a snapshot, a dump of kubectl, a folder of manifests, a must-gather, or a live cluster.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { KubeObject } from '../api/objects/meta.ts'
import { parseTime } from '../api/time.ts'
import { createRandom } from '../base/random.ts'
import { RealClock } from '../base/real-clock.ts'
import { createHttpClient } from '../client/http-client.ts'
import { type ClusterInput, findCluster } from '../whatif/snapshot/found-cluster.ts'
import { SharedParts } from '../whatif/snapshot/shared-parts.ts'
import { type ReadSnapshot, SnapshotError, SnapshotReader } from '../whatif/snapshot/snapshot-lines.ts'
import { NoClusterError } from '../whatif/snapshot/sorted-objects.ts'
import { takeSnapshot, UnreadableClusterError } from '../whatif/snapshot/take-snapshot.ts'
import { trimObject } from '../whatif/snapshot/trimming.ts'
import { findAccess } from './cluster-access.ts'
import { gitVersionOf } from './cluster-trouble.ts'
import { type CommandContext, CommandError, integer, type Ports, text, unreachable, wrongQuestion } from './command.ts'
import { defaultDataDir } from './control-plane-options.ts'
import { itemsOf } from './json-list-stream.ts'
import { parseObjects, readObjects, type SourcedObject } from './yaml.ts'

export function clusterOptions() {
  return {
    from: text({
      summary:
        'Snapshot, dump of kubectl get -o json|yaml, or directory to read the cluster from; - for standard input',
      value: 'FILE',
    }),
    kubeconfig: text({
      summary:
        'Kubeconfig of a live cluster to read instead of --from (default: the cluster of berth up, else $KUBECONFIG)',
      value: 'FILE',
    }),
    context: text({ summary: 'Context in the kubeconfig', value: 'NAME' }),
    kubeApiQps: integer({
      summary: 'Maximum requests per second while reading a live cluster',
      min: 1,
      max: 1000,
      default: 5,
    }),
  }
}

export interface ClusterSource {
  readonly from: string | undefined
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly kubeApiQps: number
}

/** Reads the cluster that the options name. */
export async function readCluster(context: CommandContext<ClusterSource>): Promise<ClusterInput> {
  const { from, kubeconfig, context: contextName } = context.options
  if (from !== undefined && (kubeconfig !== undefined || contextName !== undefined))
    throw wrongQuestion('--from and --kubeconfig are mutually exclusive')
  if (from !== undefined) return readFrom(from, context)
  const reader = new SnapshotReader()
  for await (const line of linesOfLive(context)) reader.line(line.trimEnd())
  return foundIn(reader, 'the cluster')
}

/** The lines of a snapshot of the live cluster. */
export async function* linesOfLive(
  context: CommandContext<ClusterSource>,
  redact?: (object: KubeObject) => KubeObject,
): AsyncGenerator<string> {
  const { kubeconfig, context: contextName, kubeApiQps } = context.options
  const clock = new RealClock()
  const access = await findAccess({ kubeconfig, context: contextName, dataDir: defaultDataDir }, context, [
    'pass a file with --from',
  ])
  const client = createHttpClient({
    access,
    clock,
    random: createRandom('snapshot').stream('client'),
    userAgent: 'berth-snapshot',
    qps: kubeApiQps,
    burst: kubeApiQps,
  })
  const kubernetes = await gitVersionOf(access, clock)
  try {
    yield* takeSnapshot(client, {
      takenAtMs: context.now(),
      ...(kubernetes === undefined ? {} : { kubernetes }),
      ...(redact === undefined ? {} : { redact }),
      onProgress: (resource, count) => {
        if (context.stderr.isTTY) context.stderr.write(`\r\u001b[Kreading ${resource}: ${count}`)
      },
    })
  } catch (error) {
    if (error instanceof UnreadableClusterError) throw unreachable(error.message)
    throw error
  } finally {
    if (context.stderr.isTTY) context.stderr.write('\r\u001b[K')
    client.close()
  }
}

export async function readFrom(from: string, ports: Pick<Ports, 'files' | 'readStdin' | 'cwd'>): Promise<ClusterInput> {
  const path = from === '-' ? '-' : resolve(ports.cwd, from)
  if (path !== '-' && (await ports.files.kindOf(path)) === 'absent')
    throw wrongQuestion(`${from}: no such file or directory`)
  const first = path !== '-' && (await ports.files.kindOf(path)) === 'file' ? await firstBytes(path) : undefined
  if (first?.isGzip === true) {
    const content = await compressedContent(path, from)
    if (content.kind === 'snapshot') return foundIn(content.reader, from)
    return found(() => findCluster({ objects: content.objects }), from)
  }
  const objects = first?.isLargeJson === true ? await largeList(path, from) : await objectsIn(path, from, ports)
  return found(() => findCluster({ objects }), from)
}

/** Reads the objects of a snapshot, a dump, a file or a folder for a scenario. A snapshot contains its time. */
export async function readScenarioObjects(
  path: string,
  from: string,
  ports: Pick<Ports, 'files' | 'readStdin'>,
  onTaken: (ms: number) => void = () => {},
): Promise<readonly KubeObject[]> {
  const kind = await ports.files.kindOf(path)
  if (kind === 'absent') throw wrongQuestion(`${from}: no such file or directory`)
  if (kind === 'file' && (await firstBytes(path)).isGzip) {
    const content = await compressedContent(path, from)
    if (content.kind === 'dump') return content.objects
    const { header, objects } = foundReader(content.reader, from)
    const takenAtMs = parseTime(header.takenAt)
    if (takenAtMs !== undefined) onTaken(takenAtMs)
    return objects
  }
  return objectsIn(path, from, ports)
}

async function objectsIn(
  path: string,
  from: string,
  ports: Pick<Ports, 'files' | 'readStdin'>,
): Promise<readonly KubeObject[]> {
  if (path === '-' || (await ports.files.kindOf(path)) === 'file') {
    const content = path === '-' ? await ports.readStdin() : await ports.files.readText(path)
    if (content.trim() === '')
      throw wrongQuestion(`${from}: file is empty; create a dump with: kubectl get nodes,pods,… -A -o json`)
    return parseObjects(content, path === '-' ? 'standard input' : from).map(asObject)
  }
  if (!(await isGathered(path, ports))) {
    const objects = await readObjects([path], ports, { recursive: true })
    return objects.map(asObject)
  }
  return readGathered(path, ports)
}

/** Whether a folder was written by `oc adm must-gather` or `kubectl cluster-info dump`. */
async function isGathered(folder: string, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  const names = await files.list(folder)
  if (names.includes('cluster-scoped-resources') || names.includes('namespaces')) return true
  for (const name of names) {
    const inner = join(folder, name)
    if ((await files.kindOf(inner)) !== 'folder') continue
    if ((await files.list(inner)).includes('cluster-scoped-resources')) return true
  }
  return false
}

/** Reads all objects and skips files without objects. An object may occur twice: in its own file and in a list. */
async function readGathered(folder: string, ports: Pick<Ports, 'files' | 'readStdin'>): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = []
  for (const name of await ports.files.list(folder)) {
    const path = join(folder, name)
    const kind = await ports.files.kindOf(path)
    if (kind === 'folder') objects.push(...(await readGathered(path, ports)))
    if (kind !== 'file' || !/\.(ya?ml|json)$/i.test(name)) continue
    try {
      objects.push(...parseObjects(await ports.files.readText(path), path).map(asObject))
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
    }
  }
  return objects
}

const asObject = ({ object }: SourcedObject): KubeObject => object as unknown as KubeObject

// Reads larger dumps item by item, because they may exceed the maximum length of a string.
const largeBytes = 64 * 2 ** 20

async function firstBytes(path: string): Promise<{ readonly isGzip: boolean; readonly isLargeJson: boolean }> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    const { size } = await file.stat()
    const isObject = buffer.toString('latin1', 0, bytesRead).trimStart().startsWith('{')
    return {
      isGzip: bytesRead >= 2 && buffer[0] === 0x1f && buffer[1] === 0x8b,
      isLargeJson: isObject && size > largeBytes,
    }
  } finally {
    await file.close()
  }
}

async function largeList(path: string, from: string): Promise<readonly KubeObject[]> {
  return listItems(createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>, from)
}

async function listItems(chunks: AsyncIterable<Buffer>, from: string): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = []
  const shared = new SharedParts()
  for await (const item of itemsOf(chunks, from)) {
    // Most of a large dump is data that a forecast does not need.
    objects.push(shared.take(trimObject(item as KubeObject)))
  }
  return objects
}

type Compressed =
  | { readonly kind: 'snapshot'; readonly reader: SnapshotReader }
  | { readonly kind: 'dump'; readonly objects: readonly KubeObject[] }

/** Reads a snapshot line by line, or a compressed dump of kubectl. */
async function compressedContent(path: string, from: string): Promise<Compressed> {
  const reader = new SnapshotReader()
  let rest: Buffer | undefined
  let dump: Buffer[] | undefined
  try {
    for await (const piece of createReadStream(path).pipe(createGunzip({ chunkSize: 1 << 20 }))) {
      const chunk = piece as Buffer
      if (rest === undefined && dump === undefined && !isSnapshot(chunk)) dump = []
      if (dump !== undefined) dump.push(chunk)
      else rest = takeLines(reader, rest === undefined ? chunk : Buffer.concat([rest, chunk]))
    }
    if (rest !== undefined && rest.length > 0) reader.line(rest.toString('utf8'))
  } catch (error) {
    if (error instanceof SnapshotError) throw wrongQuestion(`${from}: ${error.message}`)
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') === true)
      throw wrongQuestion(`${from}: file is incomplete or corrupted: ${(error as Error).message}`)
    throw error
  }
  if (dump === undefined) return { kind: 'snapshot', reader }
  return { kind: 'dump', objects: await objectsOfDump(dump, from) }
}

/** Checks the first line. */
function isSnapshot(chunk: Buffer): boolean {
  return /^\s*\{"apiVersion":"berth\.dev\//.test(chunk.toString('latin1', 0, 64))
}

async function objectsOfDump(chunks: readonly Buffer[], from: string): Promise<readonly KubeObject[]> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  const isLarge = bytes > largeBytes && chunks[0]?.toString('latin1', 0, 64).trimStart().startsWith('{') === true
  if (!isLarge) return parseObjects(Buffer.concat(chunks).toString('utf8'), from).map(asObject)
  return listItems(Readable.from(chunks), from)
}

const newline = 10

function takeLines(reader: SnapshotReader, bytes: Buffer): Buffer {
  let from = 0
  for (let at = bytes.indexOf(newline, from); at >= 0; at = bytes.indexOf(newline, from)) {
    reader.line(bytes.toString('utf8', from, at))
    from = at + 1
  }
  return bytes.subarray(from)
}

function foundReader(reader: SnapshotReader, from: string): ReadSnapshot {
  return found(() => reader.finish(), from)
}

export function foundIn(reader: SnapshotReader, from: string): ClusterInput {
  return found(() => {
    const { header, end, objects } = reader.finish()
    const takenAtMs = parseTime(header.takenAt)
    const { kubernetes } = header
    return findCluster({
      objects,
      isServed: true,
      missing: end.missing,
      ...(takenAtMs === undefined ? {} : { takenAtMs }),
      ...(kubernetes === undefined ? {} : { kubernetes }),
    })
  }, from)
}

function found<T>(find: () => T, from: string): T {
  try {
    return find()
  } catch (error) {
    if (error instanceof NoClusterError || error instanceof SnapshotError)
      throw wrongQuestion(`${from}: ${error.message}`)
    throw error
  }
}
