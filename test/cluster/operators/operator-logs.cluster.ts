// Controllers of other projects, unmodified, with kube-controller-manager and kube-scheduler, on kube-apiserver and on
// `berth apiserver`. Their modules are downloaded and built with Go; the first time takes minutes.
import { type ChildProcess, execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../connection.ts'
import { type Heartbeats, startHeartbeats } from '../heartbeats.ts'
import { type Place, startParts, startTwoPlaces, type TwoPlaces } from '../logged-places.ts'
import { knowsVersion, missing, stop } from '../real-parts.ts'
import { jobset } from './jobset.ts'
import { karpenter } from './karpenter.ts'
import { kueue } from './kueue.ts'
import { buildOperator, loggedErrors, runOperator } from './operator.ts'

const reason = missing()
const operators = [jobset, kueue, karpenter] as const

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } },
  status: {
    capacity: { cpu: '8', memory: '32Gi', pods: '110' },
    allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
  },
}

function addNode({ kubeconfig }: Place): void {
  const input = JSON.stringify(node)
  for (const verb of [['create'], ['replace', '--subresource', 'status']])
    execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...verb, '-f', '-'], { input, stdio: 'pipe' })
}

describe.skipIf(reason !== undefined)(
  `controllers of other projects on berth apiserver${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let children: readonly ChildProcess[] = []
    let heartbeats: readonly Heartbeats[] = []
    let places: TwoPlaces
    // The webhooks of an operator that has ended would reject the objects of the next one.
    beforeEach(async () => {
      places = await startTwoPlaces()
      const both = [places.real, places.ours]
      for (const place of both) addNode(place)
      heartbeats = await Promise.all(both.map(async (place) => startHeartbeats(await connect(place), ['n1'])))
      children = (await Promise.all(both.map(startParts))).flat()
    })
    afterEach(async () => {
      for (const { close } of heartbeats) close()
      await Promise.all(children.map(stop))
      await places?.close()
    })

    for (const operator of operators)
      it(`${operator.name} logs no error on berth that it does not log on kube-apiserver`, {
        timeout: 1_800_000,
      }, async ({ skip }) => {
        skip(
          operator.readsVersion === true && !knowsVersion('kube-apiserver'),
          'kube-apiserver was built without its version',
        )
        buildOperator(operator)
        for (const place of [places.real, places.ours]) await runOperator(operator, place)
        const known = loggedErrors(operator, places.real)
        expect(loggedErrors(operator, places.ours).filter((line) => !known.includes(line))).toEqual([])
      })
  },
)
