import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { ForecastRun } from '../run/forecast-run.ts'
import { dumpOf, node, told } from '../run/story.fixture.ts'
import { findCluster } from './found-cluster.ts'
import { createRedactor } from './redaction.ts'
import { trimObject } from './trimming.ts'

const workload = (kind: string, spec: object) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: kind.toLowerCase(), namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: kind } },
    template: {
      metadata: { labels: { app: kind } },
      spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'PASSWORD', value: 'hunter2' }] }] },
    },
    ...spec,
  },
})

const cluster = [
  node('a1'),
  node('a2'),
  workload('StatefulSet', { serviceName: 'db', replicas: 2 }),
  workload('DaemonSet', {}),
]

/** The facts of pods in a run without steps. */
async function untouched(change: (object: KubeObject) => KubeObject | undefined): Promise<readonly string[]> {
  const { items } = (await dumpOf(cluster, '3m')) as { items: KubeObject[] }
  items.sort((a, b) => Number(a.kind === 'Pod') - Number(b.kind === 'Pod'))
  expect(items.filter(({ kind }) => kind === 'Pod')).toHaveLength(4)
  expect(items.filter(({ kind }) => kind === 'ControllerRevision')).toHaveLength(2)
  const found = findCluster({ objects: items.flatMap((object) => change(object) ?? []) })
  const forecastRun = ForecastRun.start({
    title: '',
    settings: defaultSettings,
    hollow: { stages: packs.forecast },
    found: found.cluster,
    create: [],
    steps: [],
    untilMs: 600_000,
    expect: [],
    without: found.without,
  })
  return told(forecastRun.finish().recorder.facts, 'terminating', 'created')
}

describe('unchanged StatefulSets and DaemonSets', () => {
  it('starts no rollout of an unchanged set if its revisions are in the dump', async () => {
    expect(await untouched((object) => object)).toEqual([])
  })

  it('starts no rollout of an unchanged set if its revisions are missing', async () => {
    expect(await untouched((object) => (object.kind === 'ControllerRevision' ? undefined : object))).toEqual([])
  })

  it('starts no rollout of an unchanged set from a trimmed snapshot', async () => {
    const trimmed: string[] = []
    const facts = await untouched((object) => {
      const kept = trimObject(object)
      trimmed.push(JSON.stringify(kept))
      return kept
    })
    expect(facts).toEqual([])
    expect(trimmed.filter((text) => text.includes('hunter2'))).toEqual([])
  })

  it('starts no rollout of an unchanged set from a redacted snapshot', async () => {
    const redact = createRedactor('salt')
    const redacted: string[] = []
    const facts = await untouched((object) => {
      const kept = redact(trimObject(object))
      redacted.push(JSON.stringify(kept))
      return kept
    })
    expect(facts).toEqual([])
    expect(redacted.filter((text) => text.includes('statefulset-'))).toEqual([])
  })

  it('starts no rollout of an unchanged set with revisions in the format of another version', async () => {
    const facts = await untouched((object) => {
      if (object.kind !== 'ControllerRevision') return object
      const text = JSON.stringify(object).replace(
        '"metadata":{"labels"',
        '"metadata":{"creationTimestamp":null,"labels"',
      )
      return JSON.parse(text) as KubeObject
    })
    expect(facts).toEqual([])
  })
})
