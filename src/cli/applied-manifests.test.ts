import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Forecast } from '../whatif/report/forecast.ts'
import { dumpOf, pod } from '../whatif/run/story.fixture.ts'
import { createScenarioNodes } from '../whatif/scenario/scenario-nodes.fixture.ts'
import { runBerth } from './run-berth.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-applied-'))
afterAll(() => rmSync(folder, { recursive: true }))
const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
const apply = (file: string, ...more: readonly string[]) =>
  runBerth(['whatif', 'apply', '-f', file, '--from', 'dump.json', ...more], { cwd: folder })

beforeAll(async () => write('dump.json', await dumpOf(createScenarioNodes().zoneA(2))))

const monitor = { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: { name: 'web' } }

describe('berth whatif apply', () => {
  it('ignores custom resources that the cluster does not define, and reports them', async () => {
    write('monitored.json', { apiVersion: 'v1', kind: 'List', items: [monitor, pod('vip', { cpu: '1' })] })
    const { code, out } = await apply('monitored.json', '-o', 'json')
    const { question, notes } = JSON.parse(out) as Forecast
    expect({ code, question }).toEqual({ code: 0, question: 'apply ServiceMonitor/web, Pod/vip' })
    expect(notes.map(({ text }) => text)).toContain(
      'custom resources without a definition in the cluster are ignored, and their operators do not act: ServiceMonitor/web',
    )
  })

  it.each([
    [
      'an unknown kind of Kubernetes',
      { ...monitor, apiVersion: 'apps/v1', kind: 'Deploymentt' },
      'no matches for kind "Deploymentt" in version "apps/v1"',
    ],
    [
      'a kustomization',
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n',
      'Kustomization has no metadata; build it: kubectl kustomize DIR | berth whatif apply -f -',
    ],
    [
      'an unknown field, as kubectl does',
      { ...pod('vip', { cpu: '1' }), spec: { containerz: [], containers: [{ name: 'a', image: 'b' }] } },
      'strict decoding error: unknown field "spec.containerz"',
    ],
  ])('rejects %s', async (_, content, message) => {
    write('wrong.yaml', content)
    const { code, err } = await apply('wrong.yaml')
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
  })
})
