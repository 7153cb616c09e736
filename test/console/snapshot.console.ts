import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { seriousViolations } from './accessibility.ts'
import { expect, launch, missingBrowser, titled, visit } from './chromium.ts'

/** The maximum time of a step on a busy machine. */
const searchTime = { timeout: 900_000 }

const markup = '<img src=x onerror="document.title=\'owned\'">'

/** A dump with hostile text in every field. */
function hostileDump(): string {
  const long = `n${'a'.repeat(240)}`
  const names = [
    long,
    'plain',
    `x-${markup}`,
    '__proto__',
    'constructor',
    '\u202eevil',
    '</script><script>document.title="owned"</script>',
  ]
  const node = (name: string, at: number) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `n${at}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'topology.kubernetes.io/zone': markup, __proto__x: markup, pool: markup.repeat(20) },
      annotations: { [markup]: markup },
    },
    spec: { taints: [{ key: markup, value: markup, effect: 'NoSchedule' }] },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: at % 2 === 0 ? 'True' : 'Unknown', reason: markup, message: markup }],
    },
  })
  const pod = (name: string, at: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `p-${name}`,
      namespace: at % 2 === 0 ? 'default' : markup,
      uid: `p${at}`,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: markup, uid: 'o', controller: true }],
    },
    spec: { containers: [{ name: 'c', image: markup }], ...(at % 2 === 0 ? { nodeName: name } : {}) },
    status: {
      phase: at % 2 === 0 ? 'Running' : 'Pending',
      reason: markup,
      conditions: [{ type: 'PodScheduled', status: 'False', message: `0/7 nodes are available: 7 ${markup}.` }],
    },
  })
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...names.map(node), ...names.map(pod)] })
}

/** The console of a file: served read-only, and as a page that opens from disk. */
describe.skipIf(missingBrowser() !== undefined)(titled('the console of a snapshot'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-snapshot-'))
  let browser: Browser
  const servers: ChildProcess[] = []
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(async () => {
    for (const server of servers) server.kill('SIGTERM')
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const linkOf = (args: readonly string[]): Promise<string> => {
    const child = spawn(process.execPath, ['bin/berth', 'console', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    servers.push(child)
    return new Promise((resolve, reject) => {
      let said = ''
      const listen = (chunk: Buffer) => {
        said += String(chunk)
        const link = /http:\S+code=\S+/.exec(said)?.[0]
        if (link !== undefined) resolve(link)
      }
      child.stdout.on('data', listen)
      child.stderr.on('data', listen)
      child.on('exit', (code) => reject(new Error(`berth console ended with ${code}: ${said}`)))
    })
  }
  const exported = (from: string): string => {
    const file = join(folder, 'cluster.html')
    const { status, stderr } = spawnSync(process.execPath, ['bin/berth', 'report', '--console', '--from', from, file], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
    return pathToFileURL(file).href
  }

  it('a snapshot is served read-only, answers questions, and stands still', async () => {
    const { page, problems } = await visit(browser)
    await page.goto(await linkOf(['--from', 'docs/how-to/cluster.json']))
    await expect(page.getByText(/^Snapshot of/)).toBeVisible()
    await expect(page.getByText('read-only')).toBeVisible()
    await page.evaluate("location.hash = '#/what-if?ask=drain&nodes=node-1'")
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'If you drain node-1' })).toBeVisible({ timeout: 90_000 })
    await expect(page.getByRole('button', { name: 'Do it…' })).toHaveCount(0)
    const refused = (await page.evaluate(
      "fetch('api/actions', { method: 'POST', headers: { 'x-berth-console': '1', 'content-type': 'application/json' }, body: '{\"kind\":\"cordon\",\"nodes\":[\"node-1\"]}' }).then((answer) => answer.status)",
    )) as number
    expect(refused).toBe(403)
    expect(problems.filter((problem) => !problem.includes('403'))).toEqual([])
  })

  // The search ends when it has found a violation, long before its time limit.
  it('a search shows the smallest failure, replays it, and opens an earlier result', searchTime, async () => {
    const { page, problems } = await visit(browser)
    await page.goto(await linkOf(['--from', 'docs/how-to/cluster.json']))
    await page.evaluate("location.hash = '#/search?only=nodes&budget=600'")
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const result = page.getByRole('region', { name: 'Result' })
    await expect(result.getByText('losing node-1 leaves default/web with 4 of 6 ready')).toBeVisible(searchTime)
    await expect(page.getByRole('region', { name: 'Then' })).toBeVisible()
    await expect(page.getByText(/^berth search --from dump\.json --only nodes --seed 1 --cases \d+$/)).toBeVisible()
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: '‹ Change before' }).click()
    await result.getByRole('button', { name: 'Close' }).click()
    await expect(page.getByText('What breaks this cluster?')).toBeVisible()
    const open = (content: unknown) =>
      page.getByLabel('A result of berth search').setInputFiles({
        name: 'found.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(content)),
      })
    await open({ kind: 'Pod' })
    await expect(page.getByRole('alert')).toContainText('found.json: not a result of berth search -o json')
    const steps = [{ at: '0s', fail: { node: 'node-3' } }]
    await open({ kind: 'Search', scenario: { metadata: { name: markup }, steps } })
    await expect(result.getByText(markup)).toBeVisible(searchTime)
    await expect(result.getByText('Run on the cluster as it is now.')).toBeVisible()
    expect(await page.title()).not.toBe('owned')
    expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0)
    expect(problems).toEqual([])
  })

  it('a console file opens from disk without a network, with every page', async () => {
    const { page, problems, context } = await visit(browser)
    await context.setOffline(true)
    await page.goto(exported('docs/how-to/cluster.json'))
    await page.waitForSelector('html[data-ready]')
    await expect(page.getByRole('region', { name: 'Nodes' })).toBeVisible()
    for (const [link, title] of [
      ['Nodes', 'Nodes'],
      ['Workloads', 'Workloads'],
      ['Budgets', 'Disruption budgets'],
      ['Pods', 'Pods'],
      ['Queue', 'Scheduling queue'],
      ['Evictions', 'Evictions'],
      ['Devices', 'Devices'],
      ['Addresses', 'Addresses'],
      ['Time', 'Time'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link', { name: link }).click()
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    }
    await page.evaluate("location.hash = '#/nodes/node-1'")
    await expect(page.getByRole('region', { name: 'Facts' })).toBeVisible()
    expect(problems).toEqual([])
  })

  it('a report opens from disk at the worst instant, and prints without controls', async () => {
    const file = join(folder, 'forecast.html')
    const args = ['whatif', 'fail', 'zone', 'zone-a', '--from', 'docs/how-to/cluster.json', '-o', 'html']
    writeFileSync(file, spawnSync(process.execPath, ['bin/berth', ...args], { maxBuffer: 1 << 26 }).stdout)
    const { page, problems, context } = await visit(browser)
    await context.setOffline(true)
    await page.goto(pathToFileURL(file).href)
    const time = page.getByRole('region', { name: 'Time', exact: true })
    await expect(time).toContainText(/After \d/)
    await expect(time).not.toContainText('After 0s')
    await expect(page.getByRole('button').first()).toBeVisible()
    expect(await seriousViolations(page)).toEqual([])
    await page.emulateMedia({ media: 'print' })
    // The headings of tables sort them on the screen, and name their columns on paper.
    await expect(page.locator('button:not(.sort)').filter({ visible: true })).toHaveCount(0)
    await expect(page.getByRole('columnheader', { name: 'Workload', exact: true })).toBeVisible()
    await page.setViewportSize({ width: 794, height: 1123 })
    const timeline = page.getByRole('grid', { name: 'What happened' })
    expect(Number(await timeline.getAttribute('aria-rowcount'))).toBeGreaterThan(20)
    await expect(timeline.getByRole('row')).toHaveCount(Number(await timeline.getAttribute('aria-rowcount')))
    expect(await timeline.evaluate((it) => it.scrollHeight - it.clientHeight)).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
    expect(problems).toEqual([])
  })

  it('shows hostile names and messages as text, and nothing breaks the layout', async () => {
    const file = join(folder, 'hostile.json')
    writeFileSync(file, hostileDump())
    const { page, problems } = await visit(browser, { width: 1280, height: 800 })
    await page.goto(exported(file))
    await page.waitForSelector('html[data-ready]')
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Nodes' })).toContainText('7')
    for (const hash of [
      '#/',
      '#/nodes',
      '#/nodes?view=pools',
      '#/workloads',
      '#/pods',
      '#/pods?grouped=no',
      '#/time',
      '#/?group=pool',
    ]) {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
      await page.evaluate('new Promise((done) => setTimeout(done, 200))')
      expect(await page.title()).not.toBe('owned')
      expect(await page.evaluate("document.querySelectorAll('img, #app script').length")).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), hash).toBeLessThanOrEqual(
        0,
      )
    }
    expect(problems).toEqual([])
  })
})
