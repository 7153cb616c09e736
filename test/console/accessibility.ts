import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

/** The serious findings of axe, one line each. */
export async function seriousViolations(page: Page): Promise<readonly string[]> {
  // Put there by the debugger, so that the page's own content security policy need not allow it.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  const { violations } = (await page.evaluate('axe.run(document)')) as { readonly violations: readonly Violation[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes
          .slice(0, 4)
          .map(
            ({ target, failureSummary }) =>
              `${target.join(' ')} (${failureSummary.split('\n').slice(1, 3).join(' ').trim()})`,
          )
          .join('; ')}`,
    )
}
