import { expect, it } from 'vitest'
import { karpenterObjects, karpenterOf } from '../../bench/workloads/karpenter-cluster.ts'
import { karpenterDefinitions } from '../../src/autoscalers/karpenter/definitions.ts'
import { packs } from '../../src/controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../src/controlplane/settings.ts'
import type { Controller } from '../../src/runtime/controller.ts'
import { ForecastRun } from '../../src/whatif/run/forecast-run.ts'
import type { ForecastPlan } from '../../src/whatif/scenario/forecast-plan.ts'
import { plannedStep } from '../../src/whatif/scenario/question.ts'
import { findCluster } from '../../src/whatif/snapshot/found-cluster.ts'

const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const

it('gives the same facts if controllers get the changes that they ignore', () => {
  const { cluster, without } = findCluster({ objects: [...karpenterDefinitions, ...karpenterObjects(12, 240)] })
  const plan: ForecastPlan = {
    title: '',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: cluster,
    create: [],
    steps: [plannedStep({ kind: 'silence', nodes: zone }), plannedStep({ kind: 'revive', nodes: zone }, 600_000)],
    untilMs: 1_200_000,
    expect: [],
    without,
    autoscaling: { karpenter: karpenterOf() },
  }
  const lean = ForecastRun.start(plan)
  const full = ForecastRun.start(plan)
  const { driver } = full.cluster
  const ignoring = driver.names().filter((name) => driver.controller(name)?.ignores !== undefined)
  expect(ignoring.length).toBeGreaterThan(4)
  for (const name of ignoring) delete (driver.controller(name) as { ignores?: Controller['ignores'] }).ignores
  expect(lean.finish().recorder.facts).toEqual(full.finish().recorder.facts)
  expect(lean.recorder.facts.length).toBeGreaterThan(500)
  expect(lean.cluster.store.revision).toBe(full.cluster.store.revision)
})
