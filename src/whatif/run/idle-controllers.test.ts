import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { createVirtualCluster } from '../../controlplane/virtual.ts'
import type { Plan } from '../scenario/plan.ts'
import { plan } from '../scenario/question.ts'
import { createScenarioNodes } from '../scenario/scenario-nodes.fixture.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { idleControllers } from './idle-controllers.ts'
import { Rehearsal } from './rehearsal.ts'
import { deployment, dumpOf, told } from './story.fixture.ts'

const { zoneA, zoneB } = createScenarioNodes()
const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const

describe('controllers that have nothing to do', () => {
  it('are names of the table', () => {
    const { store } = createVirtualCluster({ startMs: 0, controllers: [] })
    const idle = idleControllers(store, { create: [], steps: [] })
    expect(idle.filter((name) => !Object.hasOwn(controllerFactories, name))).toEqual([])
    expect(idle).toContain('daemonset')
  })

  it('all run where anything may be created, and one that is restarted does', () => {
    const { store } = createVirtualCluster({ startMs: 0, controllers: [] })
    expect(idleControllers(store, { create: [], steps: [plan({ kind: 'apply', objects: [] })] })).toEqual([])
    const steps = [plan({ kind: 'restart', controller: 'disruption' })]
    expect(idleControllers(store, { create: [], steps })).not.toContain('disruption')
  })

  it('make no difference to what happens', async () => {
    const { items } = (await dumpOf([...zoneA(3), ...zoneB(3), deployment('web', 6)])) as { items: KubeObject[] }
    const { cluster } = findCluster({ objects: items })
    const common: Plan = {
      title: '',
      settings: defaultSettings,
      hollow: { stages: packs.forecast },
      found: cluster,
      create: [],
      steps: [plan({ kind: 'silence', nodes: zone }), plan({ kind: 'revive', nodes: zone }, 900_000)],
      untilMs: 1_800_000,
      expect: [],
    }
    const lean = new Rehearsal(common).finish()
    // A patch that changes nothing is reason enough to run them all.
    const target = { kind: 'node', name: 'b1' }
    const nothing = plan({ kind: 'patch', target, patch: {}, type: 'merge' }, 1_799_000)
    const full = new Rehearsal({ ...common, steps: [...common.steps, nothing] }).finish()
    expect(full.cluster.driver.controller('daemonset-controller')).toBeDefined()
    expect(lean.cluster.driver.controller('daemonset-controller')).toBeUndefined()
    const happenings = (rehearsal: Rehearsal) => told(rehearsal.chronicle.facts.filter(({ what }) => what !== 'step'))
    expect(happenings(lean)).toEqual(happenings(full))
    expect(happenings(lean).length).toBeGreaterThan(20)
  })
})
