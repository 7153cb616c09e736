import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildParts, eventually, missing, type RealCluster, startRealCluster, stop } from '../cluster/real-parts.ts'
import { seriousViolations } from './accessibility.ts'
import { expect, launch, missingBrowser, titled, type Visit, visit } from './chromium.ts'

const reason = missingBrowser() ?? missing()

/** The console of an external cluster: the real kube-apiserver and etcd, with `berth run` as its scheduler. */
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
    cluster.kubectl('taint', 'nodes', '--all', 'node.kubernetes.io/not-ready-')
    createPod('web-1', '500m')
    createPod('web-2', '500m', [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }])
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

  async function run(): Promise<string> {
    const linkFile = join(cluster.folder, 'console-link')
    berth = spawn(
      process.execPath,
      [
        ...['bin/berth', 'run', '--kubeconfig', cluster.kubeconfig, '--controllers', 'scheduler,taint-eviction'],
        ...['--metrics-bind-address', '127.0.0.1:0', '--console-link-file', linkFile],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let said = ''
    for (const stream of [berth.stdout, berth.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += String(chunk)
      })
    const link = await eventually(
      `the link is written (berth says: ${said})`,
      async () => (existsSync(linkFile) ? readFileSync(linkFile, 'utf8').trim() : ''),
      (text) => text !== '',
    )
    // Standard error is a pipe, as in a pod.
    expect(said).not.toContain('code=')
    return link
  }

  /** As in kubectl, so that only the real API server decides. */
  function create(object: object): void {
    const { status, stderr } = spawnSync('kubectl', ['--kubeconfig', cluster.kubeconfig, 'create', '-f', '-'], {
      input: JSON.stringify(object),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
  }

  function createNode(name: string): void {
    const resources = { cpu: '4', memory: '8Gi', pods: '110' }
    create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'topology.kubernetes.io/zone': 'z1' } },
      spec: { podCIDR: `10.0.${name.slice(1)}.0/24`, podCIDRs: [`10.0.${name.slice(1)}.0/24`] },
      status: { capacity: resources, allocatable: resources, conditions: [{ type: 'Ready', status: 'True' }] },
    })
  }

  function createPod(name: string, cpu: string, tolerations: readonly object[] = []): void {
    create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { tolerations, containers: [{ name: 'c', image: 'pause', resources: { requests: { cpu } } }] },
    })
  }

  const goTo = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click()

  it('shows the nodes and where the pods were placed', async () => {
    await expect(page.locator('.figure').filter({ hasText: 'Nodes ready' })).toContainText('3 of 3')
    await expect(page.getByText('read-only')).toBeVisible()
    await goTo('Pods')
    const pods = page.getByRole('grid', { name: 'Pods' })
    await expect(pods.getByRole('link', { name: /^n\d$/ })).toHaveCount(2)
    await pods.getByRole('link', { name: 'web-1' }).click()
    await expect(page.getByRole('region', { name: 'Facts' })).toContainText('CPU 500m')
  })

  it('shows the queue of the scheduler with reasons', async () => {
    await goTo('Queue')
    await expect(page.getByRole('grid')).toContainText('3 Insufficient cpu')
    await page.getByRole('grid').getByRole('link', { name: 'huge' }).click()
    const why = page.getByRole('region', { name: 'Result of the scheduler' })
    await expect(why).toContainText('never: requests 100 cpu, but the largest node has 4')
    await expect(why).toContainText('NodeResourcesFit')
  })

  it('shows a taint that another user sets: a countdown, and a pod that is deleted at once', async () => {
    cluster.kubectl('taint', 'nodes', '--all', 'gone=soon:NoExecute')
    await goTo('Evictions')
    const countdowns = page.getByRole('grid', { name: 'Countdowns' })
    await expect(countdowns.getByRole('link', { name: 'web-2' })).toBeVisible()
    await expect(countdowns).toContainText(/in 4m \d\ds/)
    // No kubelet would confirm the deletion of the other pod.
    await goTo('Pods')
    await expect(page.getByRole('grid', { name: 'Pods' }).getByRole('row').filter({ hasText: 'web-1' })).toContainText(
      'Terminating',
    )
    cluster.kubectl('taint', 'nodes', '--all', 'gone-')
    await goTo('Evictions')
    await expect(page.getByText('No pod is about to be evicted')).toBeVisible()
  })

  it('changes nothing, and offers no actions that the server does not support', async () => {
    await page.evaluate("location.hash = '#/nodes/n1'")
    await expect(page.getByRole('region', { name: 'Conditions' })).toContainText('Ready')
    await expect(page.getByRole('link', { name: 'What if…' })).toHaveCount(0)
    await goTo('Time')
    await expect(page.getByRole('navigation').getByRole('link', { name: 'What if' })).toHaveCount(0)
    const answer = await page.evaluate(
      "fetch('api/actions', { method: 'POST', headers: { 'x-berth-console': '1', 'content-type': 'application/json' }, body: JSON.stringify({ kind: 'cordon', nodes: ['n1'] }) }).then((r) => r.status)",
    )
    expect(answer).toBe(403)
    expect(cluster.kubectl('get', 'node', 'n1', '-o', 'jsonpath={.spec.unschedulable}')).toBe('')
  })

  it('shows the pod CIDRs of the nodes', async () => {
    await goTo('Addresses')
    await expect(page.getByRole('main')).toContainText(/No controller allocates pod CIDRs|10\.0\./)
    expect(await seriousViolations(page)).toEqual([])
    expect(opened.problems.filter((line) => !line.includes('403'))).toEqual([])
  })
})
