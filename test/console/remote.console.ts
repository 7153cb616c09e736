import { type ChildProcess, spawn } from 'node:child_process'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildParts, missing, type RealCluster, startRealCluster, stop } from '../cluster/real-parts.ts'
import { seriousViolations } from './accessibility.ts'
import { expect, launch, missingBrowser, titled, type Visit, visit } from './chromium.ts'

const reason = missingBrowser() ?? missing()

/** The console of somebody else's cluster: the real kube-apiserver and etcd, with `berth run` as its scheduler. */
describe.skipIf(reason !== undefined)(titled('the read-only console of berth run', reason), () => {
  let cluster: RealCluster
  let berth: ChildProcess
  let browser: Browser
  let opened: Visit
  let page: Page
  beforeAll(async () => {
    buildParts()
    cluster = await startRealCluster()
    for (const name of ['n1', 'n2', 'n3']) createNode(name)
    for (const name of ['web-1', 'web-2']) createPod(name, '500m')
    createPod('huge', '100')
    const link = await run()
    browser = await launch()
    opened = await visit(browser)
    page = opened.page
    await page.goto(link)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
  }, 1_800_000)
  afterAll(async () => {
    await browser?.close()
    if (berth !== undefined) await stop(berth)
    await cluster?.close()
  })

  function run(): Promise<string> {
    berth = spawn(
      process.execPath,
      ['bin/berth', 'run', '--kubeconfig', cluster.kubeconfig, '--metrics-bind-address', '127.0.0.1:0', '--leader-elect', 'false'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    return new Promise((resolve, reject) => {
      let said = ''
      const listen = (chunk: Buffer) => {
        said += String(chunk)
        const link = /https?:\S+\/console\/\?code=\S+/.exec(said)?.[0]
        if (link !== undefined) resolve(link)
      }
      berth.stdout?.on('data', listen)
      berth.stderr?.on('data', listen)
      berth.on('exit', (code) => reject(new Error(`berth run ended with ${code}: ${said}`)))
    })
  }

  function apply(object: object, ...more: readonly string[]): void {
    cluster.kubectl('create', '--raw', ...more, '-f', '-')
    void object
  }
  void apply

  function createNode(name: string): void {
    const resources = { cpu: '4', memory: '8Gi', pods: '110' }
    cluster.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'topology.kubernetes.io/zone': 'z1' } },
      status: { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] },
    })
  }

  function createPod(name: string, cpu: string): void {
    cluster.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu } } }] },
    })
  }
})
