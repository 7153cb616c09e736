import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { formatTime } from '../../../src/api/time.ts'
import {
  type PodMetrics,
  type Proposal,
  type ReplicaContext,
  replicasForAverage,
  replicasForUtilization,
  replicasForValue,
  replicasForValuePerPod,
} from '../../../src/autoscalers/horizontal-pod-autoscaler/replica-calculator.ts'
import { createRandom } from '../../../src/base/random.ts'
import { done, type Result } from '../../../src/base/result.ts'
import { moduleFiles } from '../go-modules.ts'
import { clusterRelease } from '../real-parts.ts'
import { type AskedPod, type ReplicaQuestion, randomQuestion } from './random-question.ts'

const hasGo = spawnSync('go', ['version']).status === 0
const cases = Number(process.env['BERTH_FUZZ'] ?? 20_000)
const wall = Date.parse('2026-01-01T00:00:00Z')

describe.skipIf(!hasGo)('the desired replicas of a metric', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-horizontal-'))
  const program = join(folder, 'horizontal')
  beforeAll(() => {
    const { flags } = moduleFiles(clusterRelease)
    const build = ['build', ...flags, '-o', program, './horizontal']
    execFileSync('go', build, { cwd: resolve('test/cluster'), stdio: 'inherit' })
  }, 3_600_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  it(`berth computes the same replicas as the calculator of v${clusterRelease.version} in ${cases} random cases`, () => {
    const random = createRandom(process.env['BERTH_SEED'] ?? 'horizontal').stream('questions')
    const questions = Array.from({ length: cases }, () => randomQuestion(random))
    const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('')
    const answers = execFileSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 28 })
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const different = questions
      .map((question, index) => ({ question, real: answers[index], ours: answerTo(question) }))
      .filter(({ real, ours }) => JSON.stringify(sorted(real)) !== JSON.stringify(sorted(ours)))
    expect(different.slice(0, 3)).toEqual([])
    expect(answers.filter(({ error }) => error === undefined).length).toBeGreaterThan(cases / 3)
  })
})

/** Upstream lists pods in random order, so an error may name any of them. */
function sorted(answer: { readonly error?: string }): object {
  if (answer.error !== undefined) return { error: answer.error.replace(/ of Pod p\d+$/, '') }
  return Object.fromEntries(Object.entries(answer).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function answerTo(question: ReplicaQuestion): { readonly error?: string } {
  const found = proposalFor(question)
  if (!found.ok) return { error: found.message }
  const { replicas, usage, utilization } = found.value
  const answer = { replicas, usage: Number(usage), ...(utilization === undefined ? {} : { utilization }) }
  return answer as { readonly error?: string }
}

function proposalFor({ kind, currentReplicas, target, value, resource, pods }: ReplicaQuestion): Result<Proposal> {
  const tolerances = { up: 0.1, down: 0.1 }
  const context: ReplicaContext = {
    pods: pods.map((pod) => podOf(pod, resource)),
    currentReplicas,
    tolerances,
    wall,
    cpuInitializationMs: 300_000,
    initialReadinessMs: 30_000,
  }
  const metrics: PodMetrics = new Map(
    pods.flatMap(({ name, usage }) =>
      usage === undefined ? [] : [[name, { value: BigInt(usage), timestamp: wall, windowMs: 15_000 }] as const],
    ),
  )
  const aim = BigInt(target)
  switch (kind) {
    case 'utilization':
      return replicasForUtilization(metrics, target, { resource, container: '' }, context)
    case 'average':
      return replicasForAverage(metrics, aim, resource, context)
    case 'pods':
      return replicasForAverage(metrics, aim, '', context)
    case 'value':
      return replicasForValue(BigInt(value), aim, context)
    case 'perPod':
      return done(replicasForValuePerPod(BigInt(value), aim, currentReplicas, tolerances))
  }
}

function podOf({ name, phase, deleted, ready, readyAgo, startAgo, request }: AskedPod, resource: string): Pod {
  const before = (seconds: number) => formatTime(wall - Math.ceil(seconds) * 1000)
  const conditions = ready === '' ? [] : [{ type: 'Ready', status: ready, lastTransitionTime: before(readyAgo) }]
  return {
    metadata: { name, namespace: 'default', ...(deleted ? { deletionTimestamp: before(1) } : {}) },
    spec: { containers: [{ name: 'c', resources: request === '' ? {} : { requests: { [resource]: request } } }] },
    status: { phase, startTime: before(startAgo), conditions },
  } as unknown as Pod
}
