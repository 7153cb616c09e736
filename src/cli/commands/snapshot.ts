import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { dump } from 'js-yaml'
import type { Node } from '../../api/objects/node.ts'
import { seenCatalog } from '../../whatif/scenario/seen-catalog.ts'
import { createRedactor } from '../../whatif/snapshot/redaction.ts'
import type { SnapshotEnd } from '../../whatif/snapshot/snapshot-resources.ts'
import { snapshotResources } from '../../whatif/snapshot/snapshot-resources.ts'
import { clusterOptions, linesOfLive } from '../cluster-input.ts'
import { defineCommand, exitCodes, flag, text, wrongQuestion } from '../command.ts'

const { from: _, ...liveOptions } = clusterOptions()

export const command = defineCommand({
  name: 'snapshot',
  summary: 'Save a cluster to a file for later forecasts',
  description:
    'Reads nodes, pods, workloads, disruption budgets and all other objects that affect scheduling, in pages and rate-limited. ' +
    'Requires only the ClusterRole view, and read access to nodes and to the objects of Karpenter. Secrets, events, and ConfigMaps ' +
    'except those of Cluster Autoscaler are never read. The snapshot omits environment variables, commands and annotations that no ' +
    'forecast needs. Reports what could not be read, and the effect on forecasts.',
  args: [{ name: 'FILE', summary: 'File to write', takes: 'at-most-one' }],
  options: {
    ...liveOptions,
    kubeconfig: text({ summary: 'Kubeconfig (default: the cluster of berth up, else $KUBECONFIG)', value: 'FILE' }),
    redact: flag({ summary: 'Replace names with hashes; equal names get equal hashes' }),
    catalog: text({
      summary: 'Also write the instance types of the nodes to a file for --autoscaler; replace null with the prices',
      value: 'FILE',
    }),
    redactSalt: text({ summary: 'Salt of the hashes (default: random)', value: 'TEXT' }),
  },
  examples: [
    { command: 'berth snapshot prod.jsonl.gz', summary: 'Save the cluster of the current context' },
    {
      command: 'berth snapshot prod.jsonl.gz --catalog catalog.yaml',
      summary: 'Also write the instance types of its nodes, to add prices to',
    },
    {
      command: 'berth snapshot --redact --context prod shared.jsonl.gz',
      summary: 'Save a snapshot that can be shared',
    },
  ],
  run: async (context) => {
    const [name = 'snapshot.jsonl.gz'] = context.args
    if (!name.endsWith('.jsonl.gz')) throw wrongQuestion(`${name}: the file name must end in .jsonl.gz`)
    const file = resolve(context.cwd, name)
    const { redact, redactSalt, catalog } = context.options
    const nodes: Node[] = []
    const redactor = redact ? createRedactor(redactSalt ?? randomBytes(16).toString('hex')) : undefined
    let last = ''
    const lines = async function* () {
      const options = { ...context.options, from: undefined }
      for await (const line of linesOfLive({ ...context, options }, redactor)) {
        last = line
        if (catalog !== undefined && line.startsWith('{')) {
          const object = JSON.parse(line) as Partial<Node>
          if (object.kind === 'Node') nodes.push(object as Node)
        }
        yield line
      }
    }
    // Only a complete snapshot gets the final name. The content is confidential, so only the owner can read the file.
    const partial = `${file}.partial`
    try {
      await pipeline(Readable.from(lines()), createGzip(), createWriteStream(partial, { mode: 0o600 }))
      await rename(partial, file)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
    const { counts, missing } = JSON.parse(last) as SnapshotEnd
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    context.stdout.write(`${name}: ${total} objects, including ${counts['nodes']} nodes and ${counts['pods']} pods\n`)
    if (catalog !== undefined) await writeCatalog(catalog, nodes, context)
    for (const [resource, why] of Object.entries(missing)) {
      const meaning = snapshotResources.find((one) => one.resource === resource)?.without
      context.stdout.write(`missing ${resource} (${why})${meaning === undefined ? '' : `: ${meaning}`}\n`)
    }
    return exitCodes.done
  },
})

async function writeCatalog(
  name: string,
  nodes: readonly Node[],
  { cwd, stdout }: { readonly cwd: string; readonly stdout: { write(text: string): unknown } },
): Promise<void> {
  const document = seenCatalog(nodes)
  await writeFile(resolve(cwd, name), dump(document, { noRefs: true }))
  const types = (document['karpenter'] as { readonly instanceTypes: readonly unknown[] }).instanceTypes.length
  stdout.write(`${name}: ${types} instance types; add prices per hour where they are null\n`)
}
