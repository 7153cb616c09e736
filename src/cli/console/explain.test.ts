import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { must } from '../../base/result.ts'
import { defaultSettings, type Settings } from '../../controlplane/settings.ts'
import { readSchedulerConfiguration } from '../../scheduler/config/scheduler-configuration.ts'
import { definePlugin } from '../../scheduler/contract/contract.ts'
import { ok, unschedulable } from '../../scheduler/contract/status.ts'
import { createStore } from '../../store/memory-store.ts'
import { explainForConsole, objectsIn } from './explain.ts'

const now = Date.UTC(2026, 0, 1)
const resources = { cpu: '4', memory: '8Gi', pods: '10' }

const node = (name: string, taints: NonNullable<Node['spec']>['taints'] = []): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints },
  status: { capacity: resources, allocatable: resources },
})

const pod = (spec: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'web' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

function explain(settings: Settings, asked: Pod, nodes: readonly Node[]) {
  const objects: readonly { readonly resource: string; readonly key: string; readonly object: KubeObject }[] = [
    ...nodes.map((object) => ({ resource: 'nodes', key: object.metadata.name, object })),
    { resource: 'pods', key: 'default/web', object: asked },
  ]
  const store = createStore({ initial: { revision: 1, objects } })
  return explainForConsole({ objects: objectsIn(store), settings, pod: 'default/web', now })
}

const configured = (profile: object): Settings => ({
  ...defaultSettings,
  scheduler: {
    plugins: {},
    configuration: must(
      readSchedulerConfiguration({
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'KubeSchedulerConfiguration',
        profiles: [profile],
      }),
    ),
  },
})

describe('the explanation of a pod in the console', () => {
  it('runs user plugins as the running scheduler does', () => {
    const picky = definePlugin({
      name: 'Picky',
      filter: (_pod, { name }) => (name === 'b' ? unschedulable('node(s) were not picked') : ok),
    })
    const settings = {
      ...defaultSettings,
      scheduler: { ...defaultSettings.scheduler, plugins: { Picky: () => picky } },
    }
    const answer = explain(settings, pod(), [node('a'), node('b')])
    expect(answer?.nodes.map(({ node, feasible, plugin }) => ({ node, feasible, plugin }))).toEqual([
      { node: 'a', feasible: true, plugin: undefined },
      { node: 'b', feasible: false, plugin: 'Picky' },
    ])
  })

  it('skips plugins that the configuration disables', () => {
    const tainted = node('a', [{ key: 'k', effect: 'NoSchedule' }])
    expect(explain(defaultSettings, pod(), [tainted])?.state).toBe('pending')
    const without = configured({ plugins: { multiPoint: { disabled: [{ name: 'TaintToleration' }] } } })
    expect(explain(without, pod(), [tainted])?.state).toBe('placeable')
  })

  it('reports that the scheduler of a pod does not run here', () => {
    const answer = explain(defaultSettings, pod({ schedulerName: 'other' }), [node('a')])
    expect(answer?.message).toContain('scheduler "other"')
    expect(answer?.nodes).toEqual([])
    const named = configured({ schedulerName: 'other' })
    expect(explain(named, pod({ schedulerName: 'other' }), [node('a')])?.state).toBe('placeable')
  })

  it('returns nothing for a pod that does not exist', () => {
    const store = createStore({ initial: { revision: 1, objects: [] } })
    expect(
      explainForConsole({ objects: objectsIn(store), settings: defaultSettings, pod: 'default/web', now }),
    ).toBeUndefined()
  })
})
