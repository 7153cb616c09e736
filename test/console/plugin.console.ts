import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { Berth, pod } from './berth.ts'
import { expect, launch, missingBrowser, titled, visit } from './chromium.ts'

// Enough that the question is answered in a thread, which has to load the plugin itself.
const nodeCount = 3_100

const plugin = `
export const picky = {
  name: 'Picky',
  filter: (pod, node) =>
    pod.pod.metadata.name === 'asks' && node.name !== 'node-77'
      ? { code: 'Unschedulable', reasons: ['node(s) were not picked'] }
      : { code: 'Success', reasons: [] },
}
`

/** A scheduler with a plugin of its users' own: the console asks that scheduler, and no other. */
describe.skipIf(missingBrowser() !== undefined)(titled("the console of a scheduler with users' plugins"), () => {
  const berth = new Berth()
  const folder = mkdtempSync(join(tmpdir(), 'berth-plugin-'))
  let browser: Browser
  beforeAll(async () => {
    const file = join(folder, 'picky.mjs')
    writeFileSync(file, plugin)
    await berth.start([
      ...['--ephemeral', '--nodes', String(nodeCount), '--plugin', file],
      ...['--lease-renew-interval', '60s', '--node-monitor-grace-period', '10m'],
    ])
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await berth.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('explains a pod by the plugin, in a thread', async () => {
    await berth.api('PATCH', '/api/v1/nodes/node-77', { spec: { unschedulable: true } })
    await berth.apply(pod({ name: 'asks', cpu: '1' }))
    const { page, problems } = await visit(browser)
    await page.goto(`${berth.link}#/pods/default/asks`)
    const why = page.getByRole('region', { name: 'Result of the scheduler' })
    await expect(why).toContainText(`${nodeCount - 1} node(s) were not picked`, { timeout: 90_000 })
    await expect(why).toContainText('Picky')
    await berth.api('PATCH', '/api/v1/nodes/node-77', { spec: { unschedulable: null } })
    await expect(page.locator('.title')).toContainText('node-77', { timeout: 60_000 })
    expect(problems).toEqual([])
  })
})
