import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const own = resolve('test/cluster/cluster-autoscaler')
const orderImport = 'import (\n\t"k8s.io/autoscaler/cluster-autoscaler/berth/order"\n'

/** Where Cluster Autoscaler 1.36.1 iterates over a map or sorts without keeping the order of equals. */
const replacements: readonly (readonly [file: string, before: string, after: string])[] = [
  [
    'simulator/clustersnapshot/store/delta.go',
    'range data.addedNodeInfoMap {\n\t\tnodeInfoList',
    'range order.In(data.addedNodeInfoMap) {\n\t\tnodeInfoList',
  ],
  [
    'simulator/clustersnapshot/store/delta.go',
    '\n\t}\n\n\treturn nodeInfoList\n',
    '\n\t}\n\n\treturn order.Rounds(nodeInfoList, func(info schedulerinterface.NodeInfo) string { return info.Node().Labels["topology.kubernetes.io/zone"] })\n',
  ],
  [
    'core/scaleup/equivalence/groups.go',
    'range groupPodsBySchedulingProperties(pods) {',
    'range order.In(groupPodsBySchedulingProperties(pods)) {',
  ],
  ['core/scaledown/unneeded/nodes.go', 'range emptyNodes {', 'range order.In(emptyNodes) {'],
  ['core/scaledown/unneeded/nodes.go', 'range drainNodes {', 'range order.In(drainNodes) {'],
  ['core/scaledown/unneeded/nodes.go', 'for _, v := range n.byName {', 'for _, v := range order.In(n.byName) {'],
  ['core/podlistprocessor/filter_out_schedulable.go', 'sort.Slice(', 'sort.SliceStable('],
  ['processors/scaledowncandidates/sorting_processor.go', 'sort.Sort(n)', 'sort.Stable(n)'],
  ['estimator/decreasing_pod_orderer.go', 'sort.Slice(', 'sort.SliceStable('],
]

/**
 * Compiles the program that asks, inside a copy of the source of Cluster Autoscaler in `folder`. With BERTH_ORDERED the program
 * has one answer to a question, as far as no random choice decides.
 */
export function buildAsker(source: string, folder: string): string {
  const copy = join(folder, 'cluster-autoscaler')
  cpSync(source, copy, { recursive: true })
  const berth = join(copy, 'berth')
  mkdirSync(join(berth, 'order'), { recursive: true })
  for (const file of ['ask_test.go', 'cloud_test.go', 'linkname.s', 'order/order.go'])
    cpSync(join(own, file), join(berth, file))
  writeFileSync(join(berth, 'doc.go'), 'package berth\n')
  for (const [file, before, after] of replacements) {
    const text = readFileSync(join(copy, file), 'utf8')
    if (!text.includes(before)) throw new Error(`${file} does not contain ${JSON.stringify(before)}: is it 1.36.1?`)
    const replaced = text.replaceAll(before, after)
    const needsImport = after.includes('order.') && !text.includes(orderImport)
    writeFileSync(join(copy, file), needsImport ? replaced.replace('import (\n', orderImport) : replaced)
  }
  const program = join(folder, 'ask')
  const tags = ['-tags', 'kwok,clusterautoscaler', '-vet=off']
  execFileSync('go', ['test', ...tags, '-c', '-o', program, './berth'], { cwd: copy, stdio: 'inherit' })
  return program
}
