import { expect, it } from 'vitest'
import type { Call } from '../api/call.ts'
import { dryRunLine } from './dry-run-report.ts'

const at = Date.parse('2026-01-01T00:00:00Z')
const pod = { resource: 'pods', namespace: 'default', name: 'web' }

it.each<[string, Call, object]>([
  [
    'a bind names the node',
    {
      ...{ ...pod, verb: 'create', subresource: 'binding' },
      object: { kind: 'Binding', metadata: { name: 'web' }, target: { kind: 'Node', name: 'n1' } } as never,
    },
    { would: 'create pods/binding default/web', node: 'n1' },
  ],
  [
    'an event says what happened',
    {
      ...{ verb: 'create', resource: 'events.events.k8s.io', namespace: 'default' },
      object: { kind: 'Event', metadata: { name: 'web.1' }, reason: 'FailedScheduling', note: '0/1 nodes' } as never,
    },
    { would: 'create events.events.k8s.io default/web.1', reason: 'FailedScheduling', message: '0/1 nodes' },
  ],
  [
    'a patch is shown',
    {
      ...{ verb: 'patch', resource: 'nodes', name: 'n1' },
      patch: { kind: 'strategic', patch: { spec: { podCIDR: '10.0.0.0/24' } } },
    },
    { would: 'patch nodes n1', patch: { spec: { podCIDR: '10.0.0.0/24' } } },
  ],
  [
    'an update of a status shows the status',
    {
      ...{ verb: 'update', resource: 'nodes', name: 'n1', subresource: 'status' },
      object: { metadata: { name: 'n1' }, status: { phase: 'x' } } as never,
    },
    { would: 'update nodes/status n1', status: { phase: 'x' } },
  ],
  ['a delete is all there is to say', { ...pod, verb: 'delete' }, { would: 'delete pods default/web' }],
])('reports the dry-run decision: %s', (_, call, line) => {
  expect(dryRunLine(call, at)).toEqual({ time: '2026-01-01T00:00:00.000Z', ...line })
})
