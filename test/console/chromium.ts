import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, expect as expectOnce, type Page } from '@playwright/test'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** The system's own browser: Playwright's is not downloaded. */
export const chromiumPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .concat('/usr/bin')
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** The reason why browser tests cannot run here, or undefined. */
export function missingBrowser(): string | undefined {
  if (chromiumPath === undefined) return 'no Chromium is installed (Debian: chromium)'
  return existsSync('dist/console/index.html') ? undefined : 'the console is not built (npm run build)'
}

/** The timeout for expected content: long enough for a busy machine, because no test asserts a speed. */
export const expect = expectOnce.configure({ timeout: 30_000 })

/** The name of a suite, with the reason if it is skipped. */
export function titled(title: string, reason = missingBrowser()): string {
  if (reason !== undefined) process.stderr.write(`skipped: ${title}: ${reason}\n`)
  return reason === undefined ? title : `${title} (skipped: ${reason})`
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath as string,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
}

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** The errors of the page, and its requests to other hosts. */
  readonly problems: string[]
}

export interface VisitOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  readonly deviceScaleFactor?: number
}

/** A new browser for the console: it has no cookies yet. */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { width = 1360, height = 860, ...rest } = options
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...rest,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (!['data:', 'blob:', 'file:'].includes(protocol) && hostname !== '127.0.0.1')
      problems.push(`a request to ${request.url()}`)
  })
  return { context, page, problems }
}
