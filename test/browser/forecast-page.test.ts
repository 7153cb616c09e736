import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { loadPageCode } from '../../src/controlplane/ports-console.ts'
import { buildForecast } from '../../src/whatif/report/build-forecast.ts'
import { forecastPage } from '../../src/whatif/report/report-page.ts'
import type { PageCode } from '../../src/whatif/report/self-contained-page.ts'
import { podRequests } from '../../src/whatif/report/shown-forecast.ts'
import { budget, deployment, lossTolerated, pod, runScenario } from '../../src/whatif/run/story.fixture.ts'
import { createScenarioNodes } from '../../src/whatif/scenario/scenario-nodes.fixture.ts'
import { seriousViolations } from '../console/accessibility.ts'
import { expect, launch, missingBrowser, titled, visit } from '../console/chromium.ts'

/** The HTML report is one file, made from the components of the console. */
describe.skipIf(missingBrowser() !== undefined)(
  titled('the page of a forecast, in a real browser without a network'),
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-page-'))
    let problems: readonly string[]
    let browser: Browser
    let page: Page
    let file: string

    const write = async (lines = 1) => {
      const { zoneA, zoneB } = createScenarioNodes()
      const forecastRun = await runScenario({
        cluster: [
          ...zoneA(2),
          ...zoneB(2),
          budget('web', 4),
          deployment('web', 4, { tolerations: lossTolerated(3) }),
          pod('big', { cpu: '40' }),
        ],
        steps: [{ at: '10s', fail: { node: 'a1' } }],
      })
      const code = loadPageCode() as PageCode
      const forecast = buildForecast(forecastRun)
      const timeline = Array.from({ length: lines }, () => forecast.timeline).flat()
      return forecastPage({ ...forecast, timeline }, { code, requests: podRequests(forecastRun.recorder) })
    }

    beforeAll(async () => {
      file = join(folder, 'forecast.html')
      writeFileSync(file, await write())
      browser = await launch()
      const opened = await visit(browser, { width: 1100, height: 900 })
      await opened.context.setOffline(true)
      problems = opened.problems
      page = opened.page
      await page.goto(pathToFileURL(file).href)
      await page.waitForSelector('html[data-ready]')
    })

    afterAll(async () => {
      await browser?.close()
      rmSync(folder, { recursive: true })
    })

    /** The label of a node on the map, which the arrow keys select. */
    const spoken = async (node: string) => {
      const map = page.getByRole('listbox', { name: /^Nodes by zone/ })
      await map.focus()
      for (let moves = 0; moves < 8; moves++) {
        const said = (await page.locator('#map-focus').textContent()) ?? ''
        if (said.startsWith(`${node},`)) return said
        await page.keyboard.press(moves % 3 === 2 ? 'ArrowDown' : 'ArrowRight')
      }
      return ''
    }
    const goTo = async (seconds: number) => {
      const scrub = page.getByLabel('Instant of the forecast')
      const start = Number(await scrub.getAttribute('min'))
      await scrub.fill(String(start + seconds * 1000))
    }
    const cluster = () => page.getByRole('region', { name: 'The cluster' })

    it('the forecast page shows the answer at the top', async () => {
      const answer = page.getByRole('region', { name: 'The answer' })
      await expect(answer.getByRole('listitem').first()).toHaveText(/^Below the disruption budget: default\/web/)
      await expect(answer.getByRole('table')).toContainText('Nodes ready')
    })

    it('the forecast page opens at the worst instant, with the axis clipped to the action', async () => {
      await expect(page.getByRole('region', { name: 'Time' })).toContainText(/After (1[5-9]|2\d)/)
      const scrub = page.getByLabel('Instant of the forecast')
      const [min, max] = [Number(await scrub.getAttribute('min')), Number(await scrub.getAttribute('max'))]
      expect(max - min).toBeLessThan(120_000)
    })

    it('the forecast page starts with the verdict and the effect on each workload', async () => {
      await expect(page.getByRole('region', { name: 'The answer' })).toContainText(/SAFE|DEGRADED|UNSAFE/)
      await expect(page.getByRole('grid', { name: 'Workloads in the forecast' })).toContainText('Deployment web')
    })

    it('shows the cluster at the time of the slider', async () => {
      await goTo(5)
      await expect.poll(() => spoken('a1')).toMatch(/^a1, .*, Ready, CPU \d+ %, .* 1 pods$/)
      await goTo(20)
      await expect.poll(() => spoken('a1')).toMatch(/Unknown/)
      await goTo(30)
      await expect(page.getByRole('region', { name: 'Time' })).toContainText('After 30s')
      await expect(cluster()).toContainText('1 pod waits for a node')
    })

    it('shows the map next to a timeline of thousands of lines', async () => {
      const long = join(folder, 'long.html')
      writeFileSync(long, await write(200))
      const { context, page: other } = await visit(browser, { width: 1100, height: 900 })
      await other.goto(pathToFileURL(long).href)
      await other.waitForSelector('html[data-ready]')
      const map = await other.getByRole('region', { name: 'The cluster' }).boundingBox()
      expect(map?.height).toBe(620)
      await context.close()
    })

    it('steps from change to change', async () => {
      await goTo(0)
      await page.getByRole('button', { name: 'Change after' }).click()
      await expect(page.getByRole('region', { name: 'Time' })).toContainText(/After (15|16|17|18|19)/)
      await page.getByRole('button', { name: 'Change before' }).waitFor()
    })

    it('the play button plays the forecast', async () => {
      await goTo(0)
      await page.getByRole('button', { name: 'Play' }).click()
      await expect(page.getByRole('region', { name: 'Time' })).not.toContainText('After 0s')
      await page.getByRole('button', { name: /Pause|Play/ }).click()
    })

    it('filters the timeline and the pods, and explains a pod and a node', async () => {
      const timeline = page.getByRole('grid', { name: 'What happened' })
      await page.getByLabel('Filter what happened').fill('unreachable')
      await expect(timeline.getByText(/tainted .*unreachable/)).toHaveCount(2)
      await timeline.getByRole('link', { name: 'a1' }).first().click()
      await expect(page.getByRole('dialog')).toContainText('Ready is Unknown')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toBeHidden()
      const which = page.getByRole('group', { name: 'Which pods' })
      await which.getByRole('button', { name: 'Pending at the end' }).click()
      const pods = page.getByRole('grid', { name: 'Pods in the forecast' })
      await pods.getByText('big').click()
      await expect(page.getByRole('dialog')).toContainText('default/big')
      await expect(page.getByRole('dialog')).toContainText('Pending at the end: 0/4 nodes')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toBeHidden()
      await which.getByRole('button', { name: 'Deleted' }).click()
      await pods
        .getByTitle(/^default\/web-/)
        .first()
        .click()
      await expect(page.getByRole('dialog')).toContainText('it is deleted')
      const next = page.getByRole('dialog').getByRole('button', { name: /^default\/web-/ })
      const name = (await next.textContent()) as string
      await next.click()
      await expect(page.getByRole('dialog', { name })).toContainText('it runs')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      await expect(page.getByRole('dialog')).toBeHidden()
    })

    it('draws its charts and the addresses of the nodes', async () => {
      await expect(page.locator('.chart canvas')).toHaveCount(5)
      await expect(page.getByRole('region', { name: /^Range 10\./ })).toContainText('a1')
    })

    it('has no serious accessibility problem, light or dark', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await seriousViolations(page)).toEqual([])
      }
    })

    it('fits a phone in dark mode without console errors', async () => {
      await page.setViewportSize({ width: 390, height: 800 })
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      expect(problems).toEqual([])
    })

    it('the report is byte-identical in every run and contains no network address', async () => {
      const [one, other] = await Promise.all([write(), write()])
      expect(one === other).toBe(true)
      expect(one).not.toMatch(/https?:\/\/(?!www\.w3\.org\/)/)
    })
  },
)
