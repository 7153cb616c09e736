// Pictures of every page for docs/screenshots, taken of the running product: `node scripts/screenshots.mjs [FOLDER]`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { Berth, deployment, hurried, pod } from './berth.ts'
import { launch, missingBrowser, visit } from './chromium.ts'
import { optimized } from './png.ts'

const folder = process.argv[2] ?? 'docs/screenshots'

/** A cluster with something of everything: tight nodes, a pool for batch work, a silent node, pods that wait and why. */
async function furnish(berth: Berth): Promise<void> {
  const tolerates = (seconds: number) => ({
    tolerations: [{ key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }],
  })
  for (const name of ['node-11', 'node-12'])
    await berth.api('PATCH', `/api/v1/nodes/${name}`, {
      metadata: { labels: { pool: 'batch' } },
      spec: { taints: [{ key: 'pool', value: 'batch', effect: 'NoSchedule' }] },
    })
  await berth.apply(
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'important' },
      value: 1000,
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'api', namespace: 'default' },
      spec: { minAvailable: 11, selector: { matchLabels: { app: 'api' } } },
    },
    deployment({ name: 'web', replicas: 18, cpu: '1200m', memory: '2Gi' }),
    deployment({ name: 'api', replicas: 12, cpu: '1500m', memory: '3Gi', spec: tolerates(90) }),
    deployment({ name: 'cache', replicas: 6, cpu: '500m', memory: '6Gi', spec: tolerates(240) }),
    deployment({
      name: 'batch',
      replicas: 5,
      cpu: '2',
      memory: '4Gi',
      spec: { nodeSelector: { pool: 'batch' }, tolerations: [{ key: 'pool', operator: 'Exists' }] },
    }),
  )
  await running(berth, 41)
  await berth.apply(
    pod({ name: 'training', cpu: '2', spec: { nodeSelector: { accelerator: 'gpu' } } }),
    pod({ name: 'report', cpu: '7', memory: '20Gi' }),
    pod({ name: 'migration', cpu: '500m', spec: { schedulingGates: [{ name: 'example.com/approval' }] } }),
  )
}

async function running(berth: Berth, count: number): Promise<void> {
  for (;;) {
    const { items } = await berth.api<{ readonly items: readonly { readonly status: { readonly phase: string } }[] }>(
      'GET',
      '/api/v1/pods',
    )
    if (items.filter(({ status }) => status.phase === 'Running').length >= count) return
    await new Promise((next) => setTimeout(next, 250))
  }
}

async function main(): Promise<void> {
  const reason = missingBrowser()
  if (reason !== undefined) throw new Error(reason)
  mkdirSync(folder, { recursive: true })
  const berth = await new Berth().start([
    '--ephemeral',
    '--nodes',
    '12',
    '--node-shape',
    'cpu=8,memory=32Gi,zones=3',
    '--cluster-cidr',
    '10.244.0.0/19',
    '--allocate-node-cidrs',
    'true',
    ...hurried,
  ])
  const browser = await launch()
  try {
    await furnish(berth)
    const { page, problems } = await visit(browser, { width: 1360, height: 850 })
    page.setDefaultTimeout(120_000)
    await page.goto(berth.link)
    await page.getByText('Live', { exact: true }).waitFor()
    await pictures(page)
    await reportPicture(browser)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  } finally {
    await browser.close()
    await berth.close()
  }
}

async function pictures(page: Page): Promise<void> {
  const take = async (name: string) => {
    await page.mouse.move(1, 1)
    // Two frames: the canvas is painted in the one after what it shows has changed.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    save(name, await page.screenshot())
  }
  const act = (action: Readonly<Record<string, unknown>>) =>
    page.evaluate(
      `fetch('api/actions', { method: 'POST', headers: { 'x-berth-console': '1', 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(action))} })`,
    )
  const at = async (hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await page.locator('main h1').first().waitFor()
    // Data that a page loads after it is shown arrives a moment later.
    await page.evaluate('new Promise((done) => setTimeout(done, 1_200))')
  }
  await act({ kind: 'taint', nodes: ['node-4'], taint: 'maintenance=now:NoExecute' })
  await act({ kind: 'silence', nodes: ['node-8'] })
  await act({ kind: 'cordon', nodes: ['node-2'] })
  await page.locator('.figure').filter({ hasText: 'Nodes ready' }).getByText('11').waitFor()
  await take('map')
  await page.keyboard.press('Shift+D')
  await page.keyboard.press('Shift+D')
  await take('map-dark')
  await page.keyboard.press('Shift+D')
  await at('#/pods')
  await take('pods')
  await at('#/queue')
  await page.getByText('training').waitFor()
  await take('queue')
  await at('#/evictions')
  await page.getByRole('link', { name: /^api-/ }).first().waitFor()
  await take('evictions')
  await at('#/addresses')
  await take('addresses')
  await at('#/nodes/node-4')
  await take('node')
  await at('#/pods/default/report')
  await page.getByText('The smallest change that would place it').waitFor()
  await take('pod')
  await at('#/time')
  await page.locator('.chart canvas').first().waitFor()
  await take('time')
  await at('#/time?ask=drain&nodes=node-1')
  await page.getByRole('button', { name: '10 min' }).click()
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByRole('heading', { name: /^If you/ }).waitFor({ timeout: 180_000 })
  await take('what-if')
  await page.getByRole('region', { name: 'Then' }).scrollIntoViewIfNeeded()
  await page.getByRole('region', { name: 'Pods in the forecast' }).scrollIntoViewIfNeeded()
  await take('what-if-pods')
}

/** The page that `berth whatif -o html` writes, from a disk. */
async function reportPicture(browser: Browser): Promise<void> {
  const at = mkdtempSync(join(tmpdir(), 'berth-report-'))
  try {
    const args = ['whatif', 'fail', 'zone', 'zone-a', '--from', 'docs/how-to/cluster.json', '-o', 'html']
    const { stdout } = spawnSync(process.execPath, ['bin/berth', ...args], { encoding: 'utf8', maxBuffer: 1 << 26 })
    writeFileSync(join(at, 'forecast.html'), stdout)
    const { page } = await visit(browser, { width: 1360, height: 850 })
    await page.goto(pathToFileURL(join(at, 'forecast.html')).href)
    await page.locator('.chart canvas').first().waitFor()
    for (let step = 0; step < 4; step++) await page.getByRole('button', { name: 'Change after' }).click()
    await page.evaluate('new Promise((done) => setTimeout(done, 300))')
    save('report', await page.screenshot())
  } finally {
    rmSync(at, { recursive: true })
  }
}

function save(name: string, png: Buffer): void {
  const image = optimized(png)
  writeFileSync(join(folder, `${name}.png`), image)
  process.stdout.write(`${name}.png ${Math.round(image.length / 1024)} kB\n`)
}

await main()
