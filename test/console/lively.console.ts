import type { Browser, Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest'
import { seriousViolations } from './accessibility.ts'
import { Berth } from './berth.ts'
import { expect, launch, missingBrowser, titled, type Visit, visit } from './chromium.ts'
import { livelyNode, startLively } from './lively-cluster.ts'

const widths = { phone: 390, laptop: 1440, wide: 1920 } as const
/** The maximum time of a forecast of 300 nodes on a busy machine. */
const forecastTime = { timeout: 240_000 }

const pages = {
  home: '#/',
  'the map in two levels': '#/?group=zone&then=topology.example.com%2Frack&color=memory',
  nodes: '#/nodes',
  pools: '#/nodes?view=pools',
  'a silent node': `#/nodes/${livelyNode(33)}`,
  workloads: '#/workloads',
  'a workload': '#/workloads/shop/Deployment/checkout',
  budgets: '#/budgets',
  pods: '#/pods',
  queue: '#/queue',
  evictions: '#/evictions',
  devices: '#/devices',
  addresses: '#/addresses',
  time: '#/time?lanes=p',
} as const

/** 300 nodes in pools, with an example of every problem: tests the content and the layout of the pages. */
describe.skipIf(missingBrowser() !== undefined)(titled('the console of a lively cluster'), () => {
  const berth = new Berth()
  let browser: Browser
  let opened: Visit
  let page: Page
  beforeAll(async () => {
    await startLively(berth)
    browser = await launch()
    opened = await visit(browser, { width: 1440, height: 900 })
    page = opened.page
    await page.goto(berth.link)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
  }, 600_000)
  afterAll(async () => {
    await browser?.close()
    await berth.close()
  })
  afterEach(() => {
    expect(opened.problems).toEqual([])
  })

  const at = async (hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await expect(page.getByRole('main')).toBeVisible()
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
  }
  /** Runs the forecast of the address, and waits for the answer. */
  const ask = async (heading: RegExp) => {
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(page.getByRole('heading', { name: heading })).toBeVisible(forecastTime)
  }
  const map = () => page.getByRole('listbox', { name: /^Nodes by/ })
  const choice = (label: string) => page.locator('label').filter({ hasText: label }).getByRole('combobox')
  const problems = () => page.getByRole('region', { name: 'Needs attention' })

  for (const [name, hash] of Object.entries(pages))
    it(`fits at every width, with its tables, and has no serious accessibility problem: ${name}`, async () => {
      for (const [size, width] of Object.entries(widths)) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme: width === 1440 ? 'light' : 'dark' })
        await at(hash)
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
        expect(overflow, size).toBeLessThanOrEqual(0)
        const cut = await page
          .getByRole('grid')
          .evaluateAll((all) => all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.ariaLabel))
        expect(cut, size).toEqual([])
        expect(await seriousViolations(page), size).toEqual([])
      }
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.emulateMedia({ colorScheme: 'light' })
    })

  it('lists problems, each with its object, a suggestion and a link', async () => {
    await at('#/')
    const silent = problems().getByRole('listitem').filter({ hasText: 'the kubelet does not answer' })
    await expect(silent).toHaveCount(2)
    await expect(silent.first()).toContainText('add the out-of-service taint')
    await problems()
      .getByRole('button', { name: /^Show all/ })
      .click()
    for (const problem of [
      /Deployment ml\/finetune.* pods are pending: Insufficient cpu, memory, nvidia\.com\/gpu/,
      /Deployment media\/thumbnails.*CrashLoopBackOff/,
      /Deployment data\/reports.*ImagePullBackOff/,
      /the autoscaler adds no nodes: at its maximum of/,
      /PodGroup ml\/pretrain.*0 of 4 pods are placed/,
    ])
      await expect(problems().getByRole('listitem').filter({ hasText: problem }).first()).toBeVisible()
    await silent.first().getByRole('link').click()
    await expect(page.getByRole('heading', { level: 1, name: /^ip-10-0-12-(33|77)\./ })).toBeVisible()
  })

  it('groups the map by any label, and selects by dragging and by a filter, without moving it', async () => {
    await at('#/')
    await choice('Group by').selectOption('topology.example.com/rack')
    await choice('then').selectOption('zone')
    await expect(page).toHaveURL(/group=topology\.example\.com%2Frack&then=zone/)
    await expect(page.getByRole('listbox', { name: 'Nodes by rack' })).toBeVisible()
    const before = await map().boundingBox()
    const { x = 0, y = 0, width = 0, height = 0 } = before ?? {}
    await page.mouse.move(x + 10, y + 60)
    await page.mouse.down()
    await page.mouse.move(x + width / 3, y + height / 2, { steps: 5 })
    await page.mouse.up()
    const panel = page.getByRole('region', { name: /^\d+ nodes$/ })
    await expect(panel).toBeVisible()
    expect(await map().boundingBox()).toEqual(before)
    await page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
    await page.getByLabel('Filter nodes and pods').fill('karpenter.sh/nodepool=gpu')
    await page.getByRole('button', { name: 'Select matching' }).click()
    await expect(page.getByRole('region', { name: '24 nodes' })).toBeVisible()
    await page.getByRole('region', { name: '24 nodes' }).getByRole('link', { name: 'What if I drain them…' }).click()
    await expect(page.getByLabel('Nodes', { exact: true })).toHaveValue(/(ip-10-0-13-\d+\S+, ){23}/)
    await at('#/')
  })

  it('shows pools with the limits of their autoscaler, devices, grouped rows and the next block of addresses', async () => {
    await at('#/nodes?view=pools')
    const gpu = page.getByRole('grid', { name: 'Pools' }).getByRole('row').filter({ hasText: 'gpu' })
    await expect(gpu).toContainText('at its maximum of 24 nodes')
    await at('#/devices')
    await expect(page.getByText('24 devices')).toBeVisible()
    await expect(page.getByRole('grid', { name: 'Devices' })).toContainText('example.com/broken')
    await at('#/queue')
    await expect(page.getByRole('grid', { name: 'Pods in the queue' })).toContainText('12 pods')
    await expect(page.getByRole('grid', { name: 'Pods in the queue' })).toContainText('a node is added')
    await at('#/addresses')
    await expect(page.getByRole('main')).toContainText('10.1.45.0/24')
    await at('#/budgets')
    const checkout = page
      .getByRole('grid', { name: 'Disruption budgets' })
      .getByRole('row')
      .filter({ hasText: 'checkout' })
    await expect(checkout).toContainText(/too few|blocks every drain/)
    await at('#/workloads')
    const row = page.getByRole('grid', { name: 'Workloads' }).getByRole('row').filter({ hasText: 'checkout' })
    await expect(row).toContainText('blocked by budget checkout')
  })

  it('shows ready pods over time, grouped pods with kubectl’s STATUS, and pod groups, by namespace', async () => {
    await at('#/workloads')
    const workloads = page.getByRole('grid', { name: 'Workloads' }).getByRole('row')
    const web = workloads.filter({ hasText: 'web' })
    await expect(web).toContainText(/\d+\/240/)
    await expect(web.getByRole('img', { name: /^Ready pods, lowest \d+, now \d+$/ })).toBeVisible()
    await expect(web).toContainText(/\d+ left/)
    await choice('Namespace').selectOption('data')
    await expect(workloads.filter({ hasText: 'kafka' })).toBeVisible()
    await expect(web).toHaveCount(0)
    await at('#/workloads?kind=gangs')
    const gang = page.getByRole('grid', { name: 'Pod groups' }).getByRole('row').filter({ hasText: 'ml/pretrain' })
    await expect(gang).toContainText(/4\s*4\s*0/)
    await choice('Namespace').selectOption('data')
    await expect(page.getByText('No pod group matches')).toBeVisible()
    await at('#/pods')
    const crashing = page.getByRole('grid', { name: 'Pods' }).getByRole('row').filter({ hasText: 'CrashLoopBackOff' })
    await expect(crashing.filter({ hasText: /\d+ × Deployment thumbnails/ }).first()).toBeVisible()
    await page.getByLabel('Filter pods').fill('app=cart')
    await expect(page.getByRole('grid', { name: 'Pods' })).toContainText(/\d+ × Deployment cart/)
  })

  it.each([
    ['consolidate', {}, 'Nodes that the autoscaler would remove now', /Cluster Autoscaler/, 'berth whatif consolidate'],
    [
      'config',
      { a0: 'node-monitor-grace-period: 8s', a1: 'node-monitor-grace-period: 60s' },
      'Two configurations, side by side',
      /A: a\.yaml\s+B: b\.yaml/,
      'berth whatif config a.yaml b.yaml',
    ],
    [
      'upgrade-control-plane',
      { to: '1.37', fromVersion: '1.36' },
      /^If you upgrade the control plane from v1\.36/,
      /Upgrade of the control plane/,
      'berth whatif upgrade-control-plane --to 1.37 --from-version 1.36',
    ],
  ] as const)('answers %s with the text of its command', async (question, values, title, text, command) => {
    const steps = JSON.stringify([{ question, values, after: '' }])
    await at(`#/what-if?for=600&steps=${encodeURIComponent(steps)}`)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(page.getByRole('heading', { name: title })).toBeVisible(forecastTime)
    await expect(page.getByRole('region', { name: 'Answer' })).toContainText(text)
    await expect(page.getByRole('region', { name: 'Ask again' })).toContainText(command)
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  it('combines and orders steps, disables a harmful change until the user confirms the harm, and compares two forecasts', async () => {
    const steps = [
      { question: 'drain', values: { a0: livelyNode(30) }, after: '' },
      { question: 'cordon', values: { a0: livelyNode(31) }, after: '' },
    ]
    await at(`#/what-if?for=600&release=1.34&steps=${encodeURIComponent(JSON.stringify(steps))}`)
    await page.getByRole('button', { name: 'Move question 2 up' }).click()
    await expect(page.getByLabel('Question 1', { exact: true })).toHaveValue('cordon')
    await expect(page.getByLabel('Question 2', { exact: true })).toHaveValue('drain')
    await ask(/^If you cordon .*drain/)
    await page.getByRole('button', { name: 'Pin to compare' }).click()
    const { items } = await berth.api<{ readonly items: readonly { readonly spec: { readonly nodeName: string } }[] }>(
      'GET',
      '/api/v1/namespaces/shop/pods?labelSelector=app%3Dcheckout&fieldSelector=status.phase%3DRunning',
    )
    const blocked = items.map(({ spec }) => spec.nodeName).find((node) => ![33, 77].map(livelyNode).includes(node))
    await at(`#/what-if?ask=drain&nodes=${blocked}&for=600`)
    await ask(/^If you drain/)
    const comparison = page.getByRole('region', { name: 'Comparison' })
    // On a phone, the workloads fit beside each other: nothing of them is cut.
    await page.setViewportSize({ width: 390, height: 844 })
    const impact = page.getByRole('grid', { name: 'Workloads in the forecast' })
    await expect(impact.getByRole('columnheader')).toHaveText(['Workload', 'Ready', 'Lowest'])
    expect(await impact.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect(comparison).toContainText('v1.34')
    await expect(comparison.getByRole('grid', { name: 'Workloads in both forecasts' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Forecast', exact: true })).toContainText('BLOCKED')
    // A forecast with the settings of another cluster offers no change; this one does.
    await page.getByRole('button', { name: 'Do it…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(/I accept that it does not finish: .*shop\/checkout/)
    const act = dialog.getByRole('button', { name: /^Drain/ })
    await expect(act).toBeDisabled()
    await dialog.getByRole('checkbox').check()
    await expect(act).toBeEnabled()
    await page.keyboard.press('Escape')
    await comparison.getByRole('button', { name: 'Unpin' }).click()
    await expect(comparison).toBeHidden()
    // The forecast continues the axis of the last hour.
    await at('#/time')
    await expect(page.getByRole('region', { name: 'Lanes' }).getByRole('img').first()).toBeVisible()
    await expect(page.locator('.lanes .now').first()).toBeAttached()
    // No change of the forecast is visible before its end is selected.
    await expect(page.getByRole('region', { name: 'What happened', exact: true })).toBeVisible()
    await page.getByLabel('Instant of the last hour').press('End')
    await expect(page.getByRole('heading', { name: /^What happens in the forecast up to/ })).toBeVisible()
    await page.getByRole('button', { name: 'Back to now' }).click()
    // The chart, the slider and the lanes have one axis; the center of the thumb stays 8 px inside the slider.
    const ends = async (selector: string, inside = 0) => {
      const { x = 0, width = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
      return [Math.round(x + inside), Math.round(x + width - inside)]
    }
    const axis = await ends('.chart .u-over')
    expect(await ends('.scrub', 8)).toEqual(axis)
    expect(await ends('.lanes svg')).toEqual(axis)
  })
})
