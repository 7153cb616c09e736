import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deployment, node } from '../../whatif/run/story.fixture.ts'
import { runBerth } from '../run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-simulate-'))
afterAll(() => rmSync(folder, { recursive: true }))

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 5,
    metrics: [
      { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } } },
    ],
  },
}

beforeAll(() => {
  mkdirSync(join(folder, 'found'))
  writeFileSync(
    join(folder, 'cluster.yaml'),
    [node('a'), deployment('web', 1), autoscaler].map((object) => JSON.stringify(object)).join('\n---\n'),
  )
  writeFileSync(join(folder, 'load.csv'), 'time,rps\n0s,10\n5m,30\n')
  const scenario = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    cluster: ['cluster.yaml'],
    load: { target: 'deployment/web', shared: true, csv: 'load.csv' },
    until: '10m',
  }
  for (const place of ['beside.json', 'found/elsewhere.json']) {
    writeFileSync(join(folder, place), JSON.stringify(scenario))
  }
})

async function simulate(file: string): Promise<{ readonly code: number; readonly text: string }> {
  const { code, out, err } = await runBerth(['simulate', file, '-o', 'trace'], { cwd: folder })
  return { code, text: `${out}${err}` }
}

describe('berth simulate', () => {
  it('reads the objects and the load of a scenario from files in the same folder', async () => {
    const { code, text } = await simulate('beside.json')
    expect(code).toBe(0)
    expect(text.match(/"bound"/g)).toHaveLength(3)
  })

  it('finds files of a scenario in the current folder, as berth search names them', async () => {
    expect(await simulate('found/elsewhere.json')).toEqual(await simulate('beside.json'))
  })
})
