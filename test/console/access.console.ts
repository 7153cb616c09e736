import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { seriousViolations } from './accessibility.ts'
import { Berth, hurried, pod } from './berth.ts'
import { expect, launch, missingBrowser, titled, type Visit, visit } from './chromium.ts'

const pages = {
  home: '#/',
  nodes: '#/nodes',
  pools: '#/nodes?view=pools',
  workloads: '#/workloads',
  'a workload': '#/workloads/default/Deployment/web',
  budgets: '#/budgets',
  pods: '#/pods',
  queue: '#/queue',
  evictions: '#/evictions',
  devices: '#/devices',
  addresses: '#/addresses',
  'what if': '#/what-if?ask=taint&nodes=node-1',
  'two steps': `#/what-if?steps=${encodeURIComponent(
    JSON.stringify([
      { question: 'cordon', values: { a0: 'node-1' }, after: '' },
      { question: 'drain', values: { a0: 'node-1' }, after: '60' },
    ]),
  )}`,
  search: '#/search?faults=harsh',
  time: '#/time',
  'a node': '#/nodes/node-1',
  'a pod that waits': '#/pods/default/waits',
  'a page that is not there': '#/nowhere',
} as const

const widths = { phone: 390, laptop: 1280, wide: 1920 } as const

/** For all users: with a screen reader, without a mouse, in the dark, on a small screen, without motion. */
describe.skipIf(missingBrowser() !== undefined)(titled('the console for all users'), () => {
  const berth = new Berth()
  let browser: Browser
  let opened: Visit
  let page: Page
  beforeAll(async () => {
    await berth.start(['--demo', '--ephemeral', ...hurried])
    await berth.apply(pod({ name: 'waits', cpu: '100' }))
    await berth.api('PATCH', '/api/v1/nodes/node-2', {
      spec: { taints: [{ key: 'maintenance', value: 'now', effect: 'NoExecute' }] },
    })
    browser = await launch()
    opened = await visit(browser, { reducedMotion: 'reduce' })
    page = opened.page
    await page.goto(berth.link)
    await live()
  })
  afterAll(async () => {
    await browser?.close()
    await berth.close()
  })

  const live = () => expect(page.getByText('Live', { exact: true })).toBeVisible()
  const at = async (hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await expect(page.getByRole('main')).toBeVisible()
    // Pages load data after they are shown; the loaded page is checked, too.
    await page.evaluate('new Promise((done) => setTimeout(done, 600))')
  }
  /** Tables that are wider than their place. */
  const cutTables = () =>
    page
      .getByRole('grid')
      .evaluateAll((all) =>
        all
          .filter((it) => it.scrollWidth > it.clientWidth)
          .map((it) => `${it.getAttribute('aria-label')}: ${it.scrollWidth}`),
      )
  const focused = () =>
    page.evaluate(
      "(() => { const it = document.activeElement; return (it.getAttribute('aria-label') ?? it.textContent ?? '').trim() || it.tagName })()",
    ) as Promise<string>

  for (const [name, hash] of Object.entries(pages))
    it(`has no serious accessibility problem and fits at every width, light and dark: ${name}`, async () => {
      for (const [size, width] of Object.entries(widths))
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await at(hash)
          expect(await seriousViolations(page), `${size}, ${colorScheme}`).toEqual([])
          const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
          expect(overflow, `${size}, ${colorScheme}`).toBeLessThanOrEqual(0)
          expect(await cutTables(), `${size}, ${colorScheme}`).toEqual([])
        }
      await page.setViewportSize({ width: 1360, height: 860 })
    })

  it('has no serious accessibility problem in a forecast and its dialogs', async () => {
    await at('#/what-if?ask=taint&nodes=node-1&a1=maintenance%3Dnow%3ANoExecute')
    await page.getByRole('button', { name: '10 min' }).click()
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'If you taint node-1' })).toBeVisible({ timeout: 120_000 })
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Do it…' }).click()
    expect(await seriousViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  it('the console can be used with the keyboard alone', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    for (const [key, title] of [
      ['n', 'Nodes'],
      ['w', 'Workloads'],
      ['b', 'Disruption budgets'],
      ['p', 'Pods'],
      ['q', 'Scheduling queue'],
      ['e', 'Evictions'],
      ['d', 'Devices'],
      ['a', 'Addresses'],
      ['i', 'What if'],
      ['s', 'Search'],
      ['t', 'Time'],
      ['m', 'Cluster'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    }
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog', { name: 'Find' })).toBeVisible()
    await page.keyboard.type('node-4')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'node-4' })).toBeVisible()
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await expect(page.getByRole('heading', { level: 1, name: 'Cluster' })).toBeVisible()
    await page.keyboard.press('/')
    expect(await focused()).toBe('Filter nodes and pods')
    await page.keyboard.type('app=web')
    await page.keyboard.press('Escape')
    await expect(page.getByLabel('Filter nodes and pods')).toHaveValue('')
    expect(await focused()).not.toBe('Filter nodes and pods')
  })

  it('closes a dialog with Escape, and returns the focus to where it was', async () => {
    await at('#/')
    await page.getByLabel('Filter nodes and pods').focus()
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog', { name: 'Find' })).toBeVisible()
    expect(await focused()).toBe('Find a page, node, workload or pod')
    await page.keyboard.type('node-4')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    expect(await focused()).toBe('Filter nodes and pods')
    await page.getByRole('button', { name: 'Keys' }).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    expect(await focused()).toBe('Keys')
  })

  it('has an address for the order of a table and for an instant of the last hour', async () => {
    await at('#/nodes')
    await page.getByRole('columnheader', { name: 'Pods' }).getByRole('button').click()
    await expect(page).toHaveURL(/#\/nodes\?sort=pods$/)
    await page.reload()
    await live()
    await expect(page.getByRole('columnheader', { name: 'Pods' })).toHaveAttribute('aria-sort', 'ascending')
    await at('#/time')
    await page.getByRole('button', { name: '‹ Change before' }).click()
    await expect(page).toHaveURL(/#\/time\?at=2/)
    const heading = page.getByRole('region', { name: 'The last hour' }).getByRole('heading')
    const [time] = ((await heading.textContent()) ?? '').split(',')
    await page.reload()
    await live()
    await expect(heading).toContainText(time as string)
    await page.getByRole('button', { name: 'Back to now' }).click()
    await expect(page).toHaveURL(/#\/time$/)
  })

  it('opens a node from the map and a pod from a table without a mouse', async () => {
    await at('#/')
    const map = page.getByRole('listbox', { name: /^Nodes by zone/ })
    await map.focus()
    await page.keyboard.press('ArrowRight')
    await expect(page.locator('#map-focus')).toContainText(/^node-\d, zone-/)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: /^node-\d$/ })).toBeVisible()
    await at('#/pods?grouped=no')
    await page.getByRole('grid', { name: 'Pods' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: 'Facts' })).toBeVisible()
  })

  it('has a logical tab order, with a visible focus', async () => {
    await at('#/')
    // A page that was just loaded begins at its beginning.
    await page.reload()
    await live()
    const stops: string[] = []
    for (let stop = 0; stop < 36; stop++) {
      await page.keyboard.press('Tab')
      stops.push(await focused())
      const outline = await page.evaluate(
        "(() => { const it = document.activeElement; if (it === document.body) return 'none needed'; const s = getComputedStyle(it); return s.outlineStyle !== 'none' || s.boxShadow !== 'none' ? 'seen' : it.outerHTML.slice(0, 120) })()",
      )
      expect(['seen', 'none needed']).toContain(outline)
    }
    const places = ['berth', 'Find', 'Cluster', 'Workloads', 'Pods', 'Queue', 'Evictions', 'Filter nodes and pods']
    const found = places.map((place) => stops.findIndex((stop) => stop.startsWith(place)))
    expect(found, stops.join(' | ')).not.toContain(-1)
    expect(found).toEqual([...found].sort((a, b) => a - b))
  })

  it('animates nothing if the user prefers reduced motion', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const moving = await page.evaluate(
      "[...document.querySelectorAll('*')].filter((it) => { const s = getComputedStyle(it); return parseFloat(s.animationDuration) > 0.01 || parseFloat(s.transitionDuration) > 0.01 }).length",
    )
    expect(moving).toBe(0)
  })

  it('selects several nodes with the keyboard, and forecasts a change of them', async () => {
    await at('#/')
    await page.getByRole('listbox', { name: /^Nodes by/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowRight')
    const panel = page.getByRole('region', { name: '2 nodes' })
    await expect(panel).toBeVisible()
    await panel.getByRole('link', { name: 'What if I drain them…' }).click()
    await expect(page.getByLabel('Nodes', { exact: true })).toHaveValue(/^node-\d, node-\d$/)
  })

  it('opens its navigation on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await at('#/')
    await expect(page.getByRole('navigation')).toBeHidden()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Workloads' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Workloads' })).toBeVisible()
    await expect(page.getByRole('navigation')).toBeHidden()
    await page.getByRole('button', { name: 'Menu' }).click()
    for (const name of ['Auto', 'Keys', 'Link'])
      await expect(page.getByRole('complementary').getByRole('button', { name })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('navigation')).toBeHidden()
    await page.setViewportSize({ width: 1360, height: 860 })
  })

  it('shows lists of problems, nodes and workloads on a phone, without cut names and without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await at('#/')
    await expect(page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').first()).toBeVisible()
    for (const [hash, grid, names] of [
      ['#/', 'Nodes', 5],
      ['#/nodes', 'Nodes', 5],
      ['#/workloads', 'Workloads', 3],
    ] as const) {
      await at(hash)
      const links = page.getByRole('grid', { name: grid }).getByRole('link')
      await expect(links).toHaveCount(names)
      const cut = await links.evaluateAll((all) =>
        all.map((it) => it.closest('[role=gridcell]')).filter((it) => it !== null && it.scrollWidth > it.clientWidth),
      )
      expect(cut, hash).toEqual([])
      expect(await cutTables(), hash).toEqual([])
      const sideways = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
      expect(sideways, hash).toBeLessThanOrEqual(0)
    }
    await page.setViewportSize({ width: 1360, height: 860 })
  })

  it('logs no errors', () => {
    expect(opened.problems).toEqual([])
  })
})
