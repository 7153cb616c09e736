import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildForecast } from '../../src/whatif/build-forecast.ts'
import { forecastPage } from '../../src/whatif/report-page.ts'
import { createScenarioNodes } from '../../src/whatif/scenario-nodes.fixture.ts'
import { budget, deployment, lossTolerated, pod, rehearse } from '../../src/whatif/story.fixture.ts'

const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

// A browser is no dependency of berth: where none is installed, this is the visible gap.
describe.skipIf(chromiumPath === undefined)('the page of a forecast, in a real browser without a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-page-'))
  const problems: string[] = []
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    const { zoneA, zoneB } = createScenarioNodes()
    const rehearsal = await rehearse({
      cluster: [
        ...zoneA(2),
        ...zoneB(2),
        budget('web', 4),
        deployment('web', 4, { tolerations: lossTolerated(3) }),
        pod('big', { cpu: '40' }),
      ],
      steps: [{ at: '10s', fail: { node: 'a1' } }],
    })
    const file = join(folder, 'forecast.html')
    writeFileSync(file, forecastPage(buildForecast(rehearsal)))
    const { chromium } = await import('@playwright/test')
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: ['--no-sandbox'] })
    page = await browser.newPage({ offline: true, viewport: { width: 1100, height: 900 } })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => problems.push(message.text()))
    await page.goto(pathToFileURL(file).href)
    await page.waitForSelector('html[data-ready]')
  })

  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  const cellOf = (node: string) => page.locator('.node', { has: page.locator('b', { hasText: node }) })
  const goTo = async (seconds: number) => {
    await page.locator('#scrub').fill(String(seconds))
    await page.locator('#scrub').dispatchEvent('input')
  }

  it('answers first', async () => {
    expect(await page.locator('.answer p').count()).toBe(5)
    expect(await page.locator('.answer p').first().textContent()).toMatch(/^1 pod is deleted at 21\.4s/)
  })

  it('shows the cluster at the instant that the slider is at', async () => {
    await goTo(5)
    expect(await cellOf('a1').getAttribute('class')).toBe('node')
    expect(await cellOf('a1').locator('.running').count()).toBe(1)
    await goTo(20)
    expect(await cellOf('a1').getAttribute('class')).toContain('off')
    expect(await cellOf('a1').locator('.notReady').count()).toBe(1)
    await goTo(30)
    expect(await cellOf('a1').locator('.terminating').count()).toBe(1)
    expect(await page.locator('#time').textContent()).toBe('30s')
    expect(await page.locator('#pending').textContent()).toBe('1 pod waits for a node.')
  })

  it('steps from event to event with the keyboard', async () => {
    await goTo(0)
    await page.locator('#scrub').press('ArrowRight')
    expect(await page.locator('#time').textContent()).toBe('10s')
  })

  it('filters the timeline and the pods, and explains a pod', async () => {
    await page.locator('#what').fill('unreachable')
    expect(await page.locator('#timeline tr').count()).toBe(2)
    await page.locator('#fate').selectOption('pending')
    expect(await page.locator('#pods tr').count()).toBe(1)
    await page.locator('#pods tr').first().click()
    expect(await page.locator('#story').textContent()).toMatch(/default\/big.*It waits at the end: 0\/4 nodes/s)
    await page.keyboard.press('Escape')
  })

  it('draws its charts', async () => {
    expect(await page.locator('#charts svg').count()).toBe(5)
    expect(await page.locator('#charts path').first().getAttribute('d')).toMatch(/^M/)
  })

  it('fits a phone, is readable in the dark, and has nothing to complain of', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(22, 24, 29)')
    expect(problems).toEqual([])
  })
})
