import type { Browser, Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest'
import { Berth, hurried, pod } from './berth.ts'
import { expect, launch, missingBrowser, titled, type Visit, visit } from './chromium.ts'

/** The tour of the README in a real browser, on a real `berth up --demo`. */
describe.skipIf(missingBrowser() !== undefined)(titled('the tour in the console'), () => {
  const berth = new Berth()
  let browser: Browser
  let opened: Visit
  let page: Page

  beforeAll(async () => {
    await berth.start(['--demo', '--ephemeral', ...hurried])
    browser = await launch()
    opened = await visit(browser)
    page = opened.page
    await page.goto(berth.link)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
  })
  afterAll(async () => {
    await browser?.close()
    await berth.close()
  })
  afterEach(() => {
    expect(opened.problems).toEqual([])
  })

  const goTo = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click()
  const figure = (name: string) => page.locator('.figure').filter({ hasText: name }).locator('dd')
  /** Opens a node by its name in the table of nodes. */
  const openNode = async (name: string) => {
    await goTo('Nodes')
    await page.getByRole('grid', { name: 'Nodes' }).getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  }
  const ask = async (question: string, node: string) => {
    await page.getByRole('link', { name: 'What if…' }).click()
    await page.getByLabel('Question 1').selectOption(question)
    if (question === 'fail') {
      await page.getByLabel('What', { exact: true }).selectOption('node')
      await page.getByLabel('Name', { exact: true }).fill(node)
    } else await expect(page.getByLabel('Nodes', { exact: true })).toHaveValue(node)
    if (question === 'taint') await page.getByLabel('Taint', { exact: true }).fill('maintenance=now:NoExecute')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    const title = question === 'fail' ? `If you fail node ${node}` : `If you ${question} ${node}`
    await expect(page.getByRole('heading', { name: title })).toBeVisible({ timeout: 90_000 })
  }
  const confirm = async (does: string) => {
    await page.getByRole('button', { name: 'Do it…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('This changes the cluster now')
    // A harmful change requires that the user confirms the listed harm.
    const consent = dialog.getByRole('checkbox')
    if ((await consent.count()) > 0) {
      await expect(dialog.getByRole('button', { name: does })).toBeDisabled()
      await expect(dialog).toContainText(/I accept that it does/)
      await consent.check()
    }
    await dialog.getByRole('button', { name: does }).click()
    await expect(page.getByRole('dialog')).toBeHidden()
  }

  it('removes the code from the address, and keeps the session', async () => {
    expect(page.url()).not.toContain('code=')
    await page.reload()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
  })

  it('shows five nodes in three zones, and the pods of three deployments', async () => {
    await expect(figure('Nodes ready')).toHaveText('5 of 5')
    await expect(figure('Pods running')).toHaveText('13 of 13', { timeout: 30_000 })
    await goTo('Pods')
    await page.getByLabel('Filter pods').fill('app=web')
    const pods = page.getByRole('grid', { name: 'Pods' })
    await expect(pods.getByRole('row')).toHaveCount(2)
    await pods.getByText('6 × Deployment web').click()
    await expect(pods.getByRole('link', { name: /^web-/ })).toHaveCount(6)
    await page.getByLabel('Filter pods').fill('app=')
    await expect(page.getByText('0 of 13')).toBeVisible()
    await page.getByLabel('Filter pods').fill('')
  })

  it('opens a node by clicking its cell on the map', async () => {
    await goTo('Cluster')
    const map = page.getByRole('listbox', { name: /^Nodes by zone/ })
    await map.click({ position: { x: 120, y: 40 } })
    const inspector = page.getByRole('region', { name: /^Node node-/ })
    await expect(inspector).toBeVisible()
    await inspector.getByRole('heading').getByRole('link').click()
    await expect(page.getByRole('region', { name: 'Conditions' })).toContainText('KubeletReady')
  })

  it('forecasts a taint, discards the forecast, and changes nothing', async () => {
    await openNode('node-1')
    await ask('taint', 'node-1')
    await expect(page.getByRole('region', { name: 'Forecast', exact: true })).toContainText(/SAFE|DEGRADED|UNSAFE/)
    await expect(page.getByRole('grid', { name: 'Workloads in the forecast' })).toContainText('Deployment')
    await expect(page.getByRole('region', { name: 'In words' })).toContainText(/pods? (is|are) deleted/)
    await expect(page.getByRole('region', { name: 'Ask again' })).toContainText(
      'berth whatif taint node-1 maintenance=now:NoExecute',
    )
    await expect(page.getByRole('region', { name: 'Now' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Then' })).toContainText(/After \d/)
    await page.getByLabel('Instant of the forecast').press('Home')
    await expect(page.getByRole('region', { name: 'Then' })).toContainText('After 0s')
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByText('Ask before you act')).toBeVisible()
    const node = await berth.api<{ readonly spec: object }>('GET', '/api/v1/nodes/node-1')
    expect(node.spec).not.toHaveProperty('taints')
  })

  it('shows what survives the failure of each zone, as the command does', async () => {
    const steps = JSON.stringify([{ question: 'fail --each', values: { a0: 'zone' }, after: '' }])
    await page.evaluate(`location.hash = '#/what-if?for=600&steps=${encodeURIComponent(steps)}'`)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'If each zone fails, one at a time' })).toBeVisible({
      timeout: 120_000,
    })
    await expect(page.getByRole('region', { name: 'Answer' })).toContainText(/of 3 failures.*zone-a/s)
    await expect(page.getByRole('region', { name: 'Ask again' })).toContainText(
      'berth whatif fail --each-zone --for 600s',
    )
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByText('Ask before you act')).toBeVisible()
  })

  it('applies a taint, with countdowns, evictions, and undo', async () => {
    await openNode('node-1')
    await ask('taint', 'node-1')
    await confirm('Taint 1 node')
    await expect(page.getByRole('region', { name: 'Forecast', exact: true })).toContainText(
      'added maintenance=now:NoExecute',
    )
    await goTo('Evictions')
    const countdowns = page.getByRole('grid', { name: 'Countdowns' })
    await expect(countdowns.getByText('maintenance=now:NoExecute').first()).toBeVisible()
    await expect(countdowns.getByRole('link', { name: 'node-1' }).first()).toBeVisible()
    await expect(countdowns.getByText(/^in \d+s$/).first()).toBeVisible()
    // Those that tolerate the taint for 20 s go; that their deletion was seen is in the history of the last hour.
    await goTo('Time')
    const happened = page.getByRole('region', { name: 'What happened' })
    await expect(happened.getByText('terminating', { exact: true }).first()).toBeVisible({ timeout: 60_000 })
    await goTo('What if')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('region', { name: 'Forecast', exact: true })).toContainText(
      'removed maintenance=now:NoExecute',
    )
    await openNode('node-1')
    await expect(page.getByRole('region', { name: 'Facts' })).not.toContainText('maintenance')
    await goTo('Evictions')
    await expect(page.getByText('No pod is about to be evicted')).toBeVisible()
  })

  it('cordons and uncordons', async () => {
    await openNode('node-3')
    await ask('cordon', 'node-3')
    await expect(page.getByRole('region', { name: 'Forecast', exact: true })).toContainText(/SAFE/)
    await confirm('Cordon 1 node')
    await openNode('node-3')
    await expect(page.getByText('Ready, cordoned')).toBeVisible()
    await page.getByRole('button', { name: 'Uncordon' }).click()
    await expect(page.getByText('uncordoned node-3')).toBeVisible()
    await expect(page.getByText('Ready, cordoned')).toBeHidden()
  })

  it('marks a silenced node unhealthy, and ready again when revived', async () => {
    await openNode('node-2')
    await ask('fail', 'node-2')
    await confirm('Silence 1 node')
    await goTo('Evictions')
    const silent = page.getByRole('region', { name: 'Silent nodes' })
    await expect(silent).toContainText('node-2', { timeout: 30_000 })
    await expect(silent).toContainText('Unknown', { timeout: 30_000 })
    await expect(page.getByRole('grid', { name: 'Countdowns' })).toContainText('unreachable:NoExecute', {
      timeout: 30_000,
    })
    await openNode('node-2')
    await page.getByRole('button', { name: 'Revive' }).click()
    await expect(page.getByText('revived node-2')).toBeVisible()
    await expect(page.locator('.title')).toContainText('Ready', { timeout: 30_000 })
    await goTo('Evictions')
    await expect(page.getByText('No pod is about to be evicted')).toBeVisible({ timeout: 30_000 })
  })

  it('shows why a pod is pending, and what would place it', async () => {
    await berth.apply(
      pod({ name: 'huge', cpu: '6' }),
      pod({ name: 'gated', cpu: '1', spec: { schedulingGates: [{ name: 'a.b/c' }] } }),
    )
    await goTo('Queue')
    await expect(page.getByRole('grid').getByRole('link', { name: 'gated' })).toBeVisible()
    await berth.apply(pod({ name: 'elsewhere', cpu: '1', spec: { nodeSelector: { disk: 'nvme' } } }))
    await page.getByRole('grid').getByRole('link', { name: 'elsewhere' }).click()
    const why = page.getByRole('region', { name: 'Result of the scheduler' })
    await expect(why).toContainText("5 node(s) didn't match Pod's node affinity/selector")
    await expect(why).toContainText('NodeAffinity')
    await expect(why.getByRole('listitem').first()).toContainText('disk=nvme')
    await berth.api('PATCH', '/api/v1/nodes/node-5', { metadata: { labels: { disk: 'nvme' } } })
    await expect(page.locator('.title')).toContainText('node-5')
    await expect(page.getByRole('region', { name: 'History' })).toContainText('placed on node-5')
    await expect(page.getByRole('region', { name: 'Result of the scheduler' })).toContainText('node-5')
  })

  it('shows a preemption with the victims and the preemptor', async () => {
    await berth.apply(
      ...['node-1', 'node-2', 'node-3', 'node-4', 'node-5'].map((node) =>
        pod({ name: `filler-${node}`, cpu: '100m', spec: { nodeName: node } }),
      ),
    )
    await berth.apply(
      pod({ name: 'vip', cpu: '7900m', spec: { priorityClassName: 'important', terminationGracePeriodSeconds: 5 } }),
    )
    await goTo('Pods')
    await page.getByLabel('Filter pods').fill('vip')
    await page.getByRole('grid', { name: 'Pods' }).getByRole('link', { name: 'vip' }).click()
    const history = page.getByRole('region', { name: 'History' })
    await expect(history).toContainText(/nominated for node-\d/, { timeout: 30_000 })
    await expect(history).toContainText(/placed on node-\d/, { timeout: 30_000 })
    await goTo('Time')
    await page.getByLabel('Filter what happened').fill('preempted')
    await expect(page.getByRole('region', { name: 'What happened' })).toContainText('Preempted: Preempted by pod')
    await page.getByLabel('Filter what happened').fill('')
  })

  it('moves through the last hour', async () => {
    await page.getByRole('button', { name: '‹ Change before' }).click()
    await expect(page.getByRole('heading', { name: /^The cluster at \d\d:\d\d:\d\d/ })).toBeVisible()
    await page.getByLabel('Instant of the last hour').press('Home')
    await expect(page.getByRole('heading', { name: /What happened up to/ })).toBeVisible()
    await page.getByRole('button', { name: 'Back to now' }).click()
    await expect(page.getByRole('heading', { name: 'The cluster now' })).toBeVisible()
  })

  it('draws the map of pod CIDRs', async () => {
    await goTo('Addresses')
    await expect(page.getByRole('main')).toContainText('node-1')
  })
})
