// Pictures of every page for docs/screenshots, taken of the running product: `node scripts/screenshots.mjs [FOLDER [NAME…]]`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { Berth } from './berth.ts'
import { launch, missingBrowser, visit } from './chromium.ts'
import { livelyNode, startLively } from './lively-cluster.ts'
import { optimized } from './png.ts'

const folder = process.argv[2] ?? 'docs/screenshots'
/** Only these; none: all. */
const names = process.argv.slice(3)
const isWanted = (name: string) => names.length === 0 || names.includes(name)

const sizes = {
  laptop: { width: 1440, height: 900 },
  wide: { width: 1920, height: 1080 },
  phone: { width: 390, height: 844 },
} as const

interface Picture {
  readonly name: string
  readonly hash: string
  readonly size?: keyof typeof sizes
  readonly theme?: 'light' | 'dark'
  readonly act?: (page: Page) => Promise<void>
}

/** Nodes with a pod whose budget allows no eviction. */
async function blockedNodes(berth: Berth): Promise<string> {
  const path = '/api/v1/namespaces/shop/pods?labelSelector=app%3Dcheckout&fieldSelector=status.phase%3DRunning'
  const { items } = await berth.api<{ readonly items: readonly { readonly spec: { readonly nodeName: string } }[] }>(
    'GET',
    path,
  )
  const silent = [33, 77].map(livelyNode)
  const nodes = items.map(({ spec }) => spec.nodeName).filter((node) => !silent.includes(node))
  return nodes.sort().slice(0, 2).join(',')
}

const picturesOf = (drained: string): readonly Picture[] => [
  { name: 'home', hash: '#/' },
  { name: 'home-dark', hash: '#/?then=zone', size: 'wide', theme: 'dark' },
  { name: 'home-phone', hash: '#/', size: 'phone' },
  {
    name: 'map-rack',
    hash: '#/?group=zone&then=topology.example.com%2Frack&color=memory',
    size: 'wide',
    act: selectGroup,
  },
  { name: 'map-cost', hash: '#/?color=cost', theme: 'dark' },
  { name: 'map-load', hash: '#/?color=cpu-used&then=zone', size: 'wide' },
  { name: 'nodes', hash: '#/nodes?view=pools' },
  { name: 'node', hash: `#/nodes/${livelyNode(61)}` },
  { name: 'workloads', hash: '#/workloads' },
  { name: 'workloads-phone', hash: '#/workloads', size: 'phone', theme: 'dark' },
  { name: 'workload', hash: '#/workloads/shop/Deployment/checkout' },
  { name: 'budgets', hash: '#/budgets' },
  { name: 'pods', hash: '#/pods' },
  { name: 'queue', hash: '#/queue' },
  { name: 'pod', hash: '#/queue', act: openPendingPod },
  { name: 'evictions', hash: '#/evictions' },
  { name: 'devices', hash: '#/devices' },
  { name: 'addresses', hash: '#/addresses' },
  { name: 'time', hash: '#/time' },
  { name: 'what-if', hash: `#/what-if?ask=drain&nodes=${drained}&for=600`, act: askNow },
  {
    name: 'what-if-dark',
    hash: '#/what-if?ask=fail&a0=zone&a1=eu-west-1a&for=600',
    size: 'wide',
    theme: 'dark',
    act: askNow,
  },
  { name: 'search', hash: '#/search?only=pools', act: searchNow },
]

async function searchNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('region', { name: 'Result' }).waitFor({ timeout: 600_000 })
  await page.evaluate('new Promise((done) => setTimeout(done, 1_000))')
}

async function selectGroup(page: Page): Promise<void> {
  await page.getByRole('listbox', { name: /^Nodes by/ }).click({ position: { x: 40, y: 50 } })
  await page
    .getByRole('region', { name: /nodes$/ })
    .first()
    .waitFor()
}

async function openPendingPod(page: Page): Promise<void> {
  await page.getByText('Deployment warehouse').click()
  await page
    .getByRole('link', { name: /^warehouse-/ })
    .first()
    .click()
  await page.getByRole('region', { name: 'Result of the scheduler' }).waitFor()
  await page.evaluate('new Promise((done) => setTimeout(done, 2_500))')
}

async function askNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByRole('region', { name: 'When' }).waitFor({ timeout: 600_000 })
}

async function main(): Promise<void> {
  const reason = missingBrowser()
  if (reason !== undefined) throw new Error(reason)
  mkdirSync(folder, { recursive: true })
  const berth = new Berth()
  await startLively(berth)
  const browser = await launch()
  try {
    const { page, problems } = await visit(browser, sizes.laptop)
    page.setDefaultTimeout(120_000)
    await page.goto(berth.link)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('the kubelet does not answer').first().waitFor()
    for (const picture of picturesOf(await blockedNodes(berth))) if (isWanted(picture.name)) await take(page, picture)
    if (isWanted('report')) await reportPicture(browser)
    if (problems.length > 0) throw new Error(problems.join('\n'))
  } finally {
    await browser.close()
    await berth.close()
  }
}

async function take(page: Page, { name, hash, size = 'laptop', theme = 'light', act }: Picture): Promise<void> {
  await page.setViewportSize(sizes[size])
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.locator('main h1').first().waitFor()
  // Data that a page loads after it is shown arrives a moment later.
  await page.evaluate('new Promise((done) => setTimeout(done, 1_500))')
  await act?.(page)
  await page.mouse.move(1, 1)
  await page.evaluate('document.activeElement?.blur()')
  // Two frames: the canvas is painted in the one after what it shows has changed.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  save(name, await page.screenshot())
  await page.keyboard.press('Escape')
}

/** The page that `berth whatif -o html` writes, from a disk. */
async function reportPicture(browser: Browser): Promise<void> {
  const at = mkdtempSync(join(tmpdir(), 'berth-report-'))
  try {
    const args = ['whatif', 'fail', 'zone', 'zone-a', '--from', 'docs/how-to/cluster.json', '-o', 'html']
    const { stdout } = spawnSync(process.execPath, ['bin/berth', ...args], { encoding: 'utf8', maxBuffer: 1 << 26 })
    writeFileSync(join(at, 'forecast.html'), stdout)
    const { page } = await visit(browser, sizes.laptop)
    await page.goto(pathToFileURL(join(at, 'forecast.html')).href)
    await page.locator('.chart canvas').first().waitFor()
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
