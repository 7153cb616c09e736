import { describe, expect, it } from 'vitest'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { budget, deployment, node } from '../whatif/run/story.fixture.ts'
import { readStep } from '../whatif/scenario/step-reader.ts'
import { type FaultKind, faultKinds } from './fault-kinds.ts'
import { type FaultModel, faultModels, limitedTo, possibleFaults, readFaultModel } from './fault-model.ts'
import { type Hunt, type HuntOptions, hunt } from './hunt.ts'
import { momentsAfter } from './moments.ts'
import { nodeClasses } from './node-classes.ts'
import { runCase } from './run-case.ts'
import { createSearchBase, ignoredBy, noFiles, type SearchInput } from './search-base.ts'
import { stepsOfCase } from './steps-of-case.ts'

const nodesOnly: FaultModel = limitedTo({ ...faultModels.realistic, most: 2 }, ['nodes'])
const failures: FaultModel = { ...nodesOnly, faults: nodesOnly.faults.filter(({ fault }) => fault === 'node-fails') }

function inputOf(objects: readonly object[], more: object = {}): SearchInput {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    until: '1h',
    settle: '2m',
    hollow: { pack: 'forecast' },
    expect: {
      workloadsAvailable: true,
      noPodPending: { for: '10m' },
      noLoop: true,
      noPodStuck: true,
      drainedWithin: '30m',
    },
    ...more,
  }
  return { document: document as unknown as JsonObject, objects: objects as readonly KubeObject[], seed: '1' }
}

const fourNodes = ['a1', 'a2', 'b1', 'b2'].map((name) => node(name, { zone: `zone-${name[0]}` }))

async function hunted(
  input: SearchInput,
  options: Partial<Pick<HuntOptions, 'model' | 'certify' | 'wants'>> & { readonly cases?: number } = {},
): Promise<Hunt> {
  const { model = failures, cases = 400, certify = false, wants = { fix: false, reduce: false } } = options
  return hunt(input, {
    model,
    moments: { kind: 'changes' },
    budget: { cases, isOver: () => false },
    certify,
    wants,
    open: async (opened) => {
      const base = await createSearchBase(opened)
      return { evaluate: (list) => Promise.all(list.map((steps) => runCase(base, steps))) }
    },
  })
}

const withoutBase = ({ base: _, ...rest }: Hunt) => JSON.stringify(rest)

describe('a search', () => {
  // Two pods on four nodes: no single failure affects both pods.
  const weak = inputOf([...fourNodes, deployment('web', 2), deployment('other', 4)])

  it('finds the pair of failures that takes all pods of a workload, and shrinks it', async () => {
    const { finding } = await hunted(weak)
    expect(finding?.story).toMatch(/^losing \w\d and \w\d at once leaves default\/web with 0 of 2 ready for 5m\d+s$/)
    expect(finding?.steps).toHaveLength(2)
    expect(finding?.violation).toMatchObject({ expectation: 'workloadsAvailable', subject: 'Deployment default/web' })
  })

  it('reduces the cluster to the objects that the violation requires, and proposes a change with which it finds no violation', async () => {
    const { finding } = await hunted(weak, { wants: { fix: true, reduce: true } })
    const names = finding?.reduced?.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`) ?? []
    expect(names).toContain('Deployment web')
    expect(names).not.toContain('Deployment other')
    expect(finding?.fix?.text).toContain('default/web from 2 to 3')
    expect(finding?.fix?.end).toBe('complete')
  })

  it('gives the same result for the same seed and number of cases', async () => {
    const mixed = { model: { ...faultModels.harsh, most: 3 }, cases: 40 }
    expect(withoutBase(await hunted(weak, mixed))).toBe(withoutBase(await hunted(weak, mixed)))
  })

  it('reports what it proved and what it did not cover', async () => {
    const strong = inputOf([...fourNodes, deployment('web', 4), budget('web', 1)])
    const { finding, certificate, end } = await hunted(strong, { certify: true })
    expect(finding).toBeUndefined()
    expect(end).toBe('complete')
    expect(certificate?.proven[0]).toMatch(
      /^every single fault \(node-fails\) meets .*workloadsAvailable, .* for 1h0m0s: 4 cases, \d distinct$/,
    )
    expect(certificate?.proven[1]).toMatch(
      /^every two faults \(node-fails\), the second at the same time or next to a change/,
    )
    expect(certificate?.notCovered).toContain('three or more faults')
  })

  it('ignores problems that exist without a fault', async () => {
    const tooBig = deployment('big', 2, { cpu: '64' })
    const { base } = await hunted(inputOf([...fourNodes, tooBig, deployment('web', 3)]), { cases: 3 })
    expect(base.expect.map(({ kind }) => kind)).toContain('noPodPending')
    expect(ignoredBy(base)).toEqual(['2 pods are pending at the start'])
  })

  it('a certificate does not claim effects that the search ignored', async () => {
    const input = inputOf([...fourNodes, deployment('web', 4), deployment('big', 2, { cpu: '64' })])
    const { certificate } = await hunted(input, { certify: true, model: { ...failures, most: 1 } })
    expect(certificate?.notCovered).toContain('what happens without a fault: 2 pods are pending at the start')
  })

  it('reports that the cluster has no target for the faults, and the requirements of the faults', async () => {
    const model = limitedTo(faultModels.realistic, ['racks'])
    await expect(hunted(weak, { model })).rejects.toThrow(
      'rack-fails needs nodes with the label topology.kubernetes.io/rack',
    )
  })
})

describe('a case', () => {
  it('a case has the same violation whether it ends early or runs to its end', async () => {
    const base = await createSearchBase(inputOf([...fourNodes, deployment('web', 3), deployment('api', 2)]))
    for (const fault of possibleFaults({ ...faultModels.harsh, most: 1 }, base.scope).slice(0, 40)) {
      const { rule, target, forMs } = fault
      const steps = stepsOfCase(
        [{ kind: rule.fault, target, atMs: 0, ...(forMs === undefined ? {} : { forMs }) }],
        base.scope,
      )
      const early = await runCase(base, steps)
      const full = await runCase({ ...base, quietMs: Number.POSITIVE_INFINITY }, steps)
      expect([rule.fault, target.name, early.violation, early.losses]).toEqual([
        rule.fault,
        target.name,
        full.violation,
        full.losses,
      ])
    }
  })

  it('a case can have every kind of fault as steps of a scenario', async () => {
    const spot = {
      ...(node('s1') as KubeObject),
      metadata: {
        name: 's1',
        labels: {
          'karpenter.sh/capacity-type': 'spot',
          pool: 'p',
          'topology.kubernetes.io/rack': 'r',
          'topology.kubernetes.io/zone': 'z',
        },
      },
    }
    const zone = ['z1', 'z2', 'z3', 'z4', 'z5'].map((name) => node(name, { zone: 'z' }))
    const groups = { autoscaling: { clusterAutoscaler: { nodeGroups: [{ name: 'web', label: 'pool=p', max: 3 }] } } }
    const base = await createSearchBase(inputOf([spot, ...zone, deployment('web', 2)], groups))
    for (const [kind, { targets, steps, durationsMs }] of Object.entries(faultKinds)) {
      const [target] = targets(base.scope)
      expect(target, kind).toBeDefined()
      if (target === undefined) continue
      for (const { afterMs, content } of steps(target, durationsMs[0], base.scope))
        await readStep({ at: `${afterMs}ms`, ...content }, kind, noFiles)
      const result = await runCase(
        base,
        stepsOfCase(
          [{ kind, target, atMs: 0, ...(durationsMs[0] === undefined ? {} : { forMs: durationsMs[0] }) }],
          base.scope,
        ),
      )
      expect(result.impossible, kind).toBeUndefined()
    }
  })
})

it('a stock-out affects the zones and capacity types that Karpenter may launch', async () => {
  const instanceTypes = [
    { name: 'm', resources: { cpu: '4', memory: '8Gi' }, zones: ['z1', 'z2'], prices: { spot: 0.1, 'on-demand': 0.3 } },
  ]
  const objects = [node('a', { zone: 'z1' }), deployment('web', 1)]
  const { scope } = await createSearchBase(inputOf(objects, { autoscaling: { karpenter: { instanceTypes } } }))
  const { targets, steps, phrase } = faultKinds['stock-out'] as FaultKind
  expect(targets(scope).map(({ name }) => phrase(name))).toEqual([
    'a stock-out of zone z1',
    'a stock-out of zone z2',
    'a stock-out of on-demand',
    'a stock-out of spot',
  ])
  expect(targets(scope).map((target) => steps(target, undefined, scope)[0]?.content)).toEqual([
    { stockOut: { zone: 'z1' } },
    { stockOut: { zone: 'z2' } },
    { stockOut: { capacityType: 'on-demand' } },
    { stockOut: { capacityType: 'spot' } },
  ])
})

describe('node classes', () => {
  it('node classes are the same for nodes that differ only in their names', async () => {
    const { store } = await createSearchBase(inputOf([...fourNodes, node('c1', { zone: 'zone-a', cpu: '8' })]))
    const classes = nodeClasses(store)
    expect(classes.get('a1')).toBe(classes.get('a2'))
    expect(classes.get('a1')).not.toBe(classes.get('b1'))
    expect(classes.get('a1')).not.toBe(classes.get('c1'))
  })

  it('node classes distinguish nodes with pods of different workloads', async () => {
    const { store } = await createSearchBase(inputOf([...fourNodes, deployment('web', 1)]))
    expect(new Set(nodeClasses(store).values()).size).toBe(3)
  })

  it('node classes distinguish a node that a pod names from other nodes', async () => {
    const { store } = await createSearchBase(inputOf([...fourNodes, deployment('web', 4, { on: 'a1' })]))
    expect(new Set(nodeClasses(store).values()).size).toBe(3)
  })

  it('node classes give the same losses for all nodes of a class', async () => {
    const base = await createSearchBase(
      inputOf([...fourNodes, ...['a3', 'a4'].map((name) => node(name)), deployment('web', 6)]),
    )
    const byClass = new Map<string, string>()
    for (const { name, className } of base.scope.nodes) {
      const { losses, violation } = await runCase(base, [{ at: '0s', fail: { node: name } } as unknown as JsonObject])
      const said = JSON.stringify([losses, violation])
      expect(byClass.get(className) ?? said).toBe(said)
      byClass.set(className, said)
    }
    expect(byClass.size).toBeLessThan(6)
  })
})

describe('moments', () => {
  it('moments are next to each change, and one after the last', () => {
    expect(momentsAfter({ kind: 'changes' }, [50, 350, 351], 3_600_000)).toEqual([
      0, 45_000, 55_000, 345_000, 355_000, 420_000,
    ])
  })

  it('moments are a grid up to the time after the last change', () => {
    expect(momentsAfter({ kind: 'grid', stepMs: 60_000 }, [50], 3_600_000)).toEqual([0, 60_000, 120_000])
  })
})

describe('a fault model', () => {
  it('a fault model is read from a document', () => {
    const document = {
      apiVersion: 'berth.dev/v1alpha1',
      kind: 'FaultModel',
      most: 4,
      faults: [{ fault: 'zone-fails', for: ['5m', 'forever'], limit: 1 }],
    }
    expect(readFaultModel(document, 'own')).toEqual({
      ok: true,
      value: {
        name: 'own',
        most: 4,
        faults: [{ fault: 'zone-fails', weight: 1, limit: 1, durationsMs: [300_000, undefined] }],
      },
    })
  })

  it('a fault model with a wrong field is refused, and the field is named', () => {
    const document = { apiVersion: 'berth.dev/v1alpha1', kind: 'FaultModel', faults: [{ fault: 'meteor' }] }
    expect(readFaultModel(document, 'own')).toMatchObject({
      ok: false,
      message: expect.stringContaining('faults[0].fault'),
    })
  })
})

it('runs the steps of a finding with the same result as a forecast', async () => {
  const input = inputOf([...fourNodes, deployment('web', 2)])
  const { base, finding } = await hunted(input)
  const steps = await Promise.all((finding?.steps ?? []).map((step) => readStep(step, '', noFiles)))
  const run = ForecastRun.start({ ...base.plan, steps }, { seed: '1' }).finish()
  expect(run.expectations().find(({ holds }) => !holds)?.violation?.text).toBe(finding?.violation.text)
})
