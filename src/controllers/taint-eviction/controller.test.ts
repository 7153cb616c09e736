import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { failure } from '../../api/status.ts'
import { createRandom } from '../../base/random.ts'
import type { Action, Change, StepOutput } from '../../runtime/controller.ts'
import { answerRead } from '../../runtime/read-answer.ts'
import { createReadModel } from '../../runtime/read-model.ts'
import type { FixId } from '../fixes.ts'
import { createTaintEviction } from './controller.ts'
import type { PendingEviction } from './pending-eviction.ts'

const t0 = Date.parse('2026-01-01T00:00:00Z')
const maintenance: Taint = { key: 'maintenance', effect: 'NoExecute' }
const forSeconds = (tolerationSeconds: number): Toleration => ({
  ...maintenance,
  operator: 'Exists',
  tolerationSeconds,
})

const node = (name: string, ...taints: readonly Taint[]): Node => ({ metadata: { name }, spec: { taints } })
const pod = (name: string, nodeName: string, tolerations: readonly Toleration[], uid = name): Pod => ({
  metadata: { name, namespace: 'default', uid },
  spec: { containers: [], nodeName, tolerations },
})

/** The controller alone, with a view that the test updates: for states that never occur in a complete cluster. */
function standalone(...fixes: readonly FixId[]) {
  const controller = createTaintEviction({ fixes: new Set(fixes) })
  const view = createReadModel()
  const random = createRandom('test')
  return {
    /** Runs one step, and another one with the answers to the reads of the first. */
    step(seconds: number, changes: readonly Change[], results: readonly { id: number; outcome: Outcome }[] = []) {
      view.apply(changes)
      const now = t0 + seconds * 1000
      const input = { answers: [], now, wall: now, random, view }
      const first = controller.step({ ...input, changes, results })
      const reads = (first.actions ?? []).flatMap((action) => (action.kind === 'read' ? [action] : []))
      if (reads.length === 0) return first
      const answers = reads.map((read) => ({ id: read.id, outcome: answerRead(view, read) }))
      const second = controller.step({ ...input, changes: [], results: answers })
      const actions = [...(first.actions ?? []), ...(second.actions ?? [])].filter(({ kind }) => kind !== 'read')
      return { ...second, actions }
    },
    pending: () => controller.inspect?.(0) as readonly PendingEviction[],
  }
}

const nodeChange = (after: Node, before?: Node): Change => ({
  resource: 'nodes',
  key: after.metadata.name,
  after,
  ...(before && { before }),
})
const podChange = (after: Pod | undefined, before?: Pod): Change => ({
  resource: 'pods',
  key: `default/${(after ?? before)?.metadata.name}`,
  ...(after && { after }),
  ...(before && { before }),
})
const calls = (output: StepOutput) =>
  (output.actions ?? []).flatMap((action) => (action.kind === 'call' ? [action] : []))
const words = (output: StepOutput) => (output.actions ?? []).map(wordOf)

function wordOf(action: Action): string {
  if (action.kind === 'event') return action.event.message
  if (action.kind === 'read') return `read ${action.resource}`
  const { call } = action
  return `${call.verb} ${call.resource}${call.subresource === undefined ? '' : `/${call.subresource}`}`
}

const ok: Outcome = {
  ok: true,
  kind: 'status',
  status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 },
}

describe('taint eviction after a gap in the watch', () => {
  const old = pod('web', 'a1', [forSeconds(20)], 'old')

  it('taint eviction keeps the countdown of a pod name that moved to an untainted node until it fires', () => {
    const { step, pending } = standalone()
    step(0, [nodeChange(node('a1', maintenance)), nodeChange(node('a2')), podChange(old)])
    step(5, [podChange(pod('web', 'a2', [forSeconds(20)], 'new'), old)])
    expect(pending()).toMatchObject([{ pod: 'default/web', node: 'a1', fireAt: t0 + 20_000 }])
    expect(words(step(20, []))).toEqual(['Marking for deletion Pod default/web', 'patch pods/status'])
  })

  it('taint eviction keeps the countdown of a pod name that moved to another tainted node', () => {
    const { step, pending } = standalone()
    step(0, [nodeChange(node('a1', maintenance)), nodeChange(node('a2', maintenance)), podChange(old)])
    step(5, [podChange(pod('web', 'a2', [forSeconds(60)], 'new'), old)])
    expect(pending()).toMatchObject([{ fireAt: t0 + 20_000 }])
  })
})

describe('a deletion in progress', () => {
  const web = pod('web', 'a1', [forSeconds(20)])
  const tainted = node('a1', maintenance)

  it('a deletion in progress continues when the taint is removed, although the cancellation is announced', () => {
    const { step, pending } = standalone()
    step(0, [nodeChange(tainted), podChange(web)])
    const [mark] = calls(step(20, []))
    expect(words(step(20, [nodeChange(node('a1'), tainted)]))).toEqual(['Cancelling deletion of Pod default/web'])
    expect(pending()).toEqual([])
    expect(words(step(20, [], [{ id: mark?.id ?? 0, outcome: ok }]))).toEqual(['delete pods'])
  })

  it('a deletion in progress is not announced as canceled if the pod was evicted immediately', () => {
    const { step } = standalone()
    const intolerant = pod('web', 'a1', [])
    expect(words(step(0, [nodeChange(tainted), podChange(intolerant)]))).toEqual([
      'Marking for deletion Pod default/web',
      'patch pods/status',
    ])
    expect(words(step(0, [nodeChange(node('a1'), tainted)]))).toEqual([])
  })

  it('removes the newer countdown of its pod name when it ends; the timer of that countdown still fires', () => {
    const { step, pending } = standalone()
    step(0, [nodeChange(tainted), podChange(web)])
    const [mark] = calls(step(20, []))
    step(20, [nodeChange(node('a1'), tainted)])
    step(21, [nodeChange(tainted, node('a1'))])
    expect(pending()).toMatchObject([{ fireAt: t0 + 41_000 }])
    const [remove] = calls(step(22, [], [{ id: mark?.id ?? 0, outcome: ok }]))
    const last = step(22, [], [{ id: remove?.id ?? 0, outcome: ok }])
    expect(pending()).toEqual([])
    expect(last.wakeAt).toBe(t0 + 41_000)
    expect(words(step(41, []))).toContain('Marking for deletion Pod default/web')
  })

  it('a deletion in progress is abandoned after five attempts without an answer', () => {
    const { step } = standalone()
    step(0, [nodeChange(tainted), podChange(web)])
    let output = step(20, [])
    const tries: string[] = []
    for (let at = 20; calls(output).length > 0; at += 0.01) {
      tries.push(...calls(output).map(wordOf))
      const results = calls(output).map(({ id }) => ({ id, outcome: failure('Timeout', 'no answer came in time') }))
      const failed = step(at, [], results)
      output = failed.wakeAt === undefined ? failed : step((failed.wakeAt - t0) / 1000, [])
    }
    expect(tries).toEqual(Array(5).fill('patch pods/status'))
  })
})

describe('fix countdown-from-taint', () => {
  it('the fix countdown-from-taint adds timeAdded to a taint without one, and counts from it', () => {
    const { step, pending } = standalone('countdown-from-taint')
    const output = step(0, [nodeChange(node('a1', maintenance)), podChange(pod('web', 'a1', [forSeconds(20)]))])
    expect(calls(output)[0]?.call).toMatchObject({
      verb: 'patch',
      name: 'a1',
      patch: { patch: { spec: { taints: [{ ...maintenance, timeAdded: '2026-01-01T00:00:00Z' }] } } },
    })
    expect(pending()).toMatchObject([{ fireAt: t0 + 20_000 }])
  })
})
