import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { seriousViolations } from './accessibility.ts'
import { Berth } from './berth.ts'
import { expect, launch, missingBrowser, titled, visit } from './chromium.ts'

const json = { 'content-type': 'application/json' }
const marked = { ...json, 'x-berth-console': '1' }
const cordon = { kind: 'cordon', nodes: ['node-1'] }

/** Access to the console, protection against other sites, and reconnection. */
describe.skipIf(missingBrowser() !== undefined)(titled('sessions of the console'), () => {
  const berth = new Berth()
  let browser: Browser
  beforeAll(async () => {
    await berth.start(['--nodes', '3'])
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await berth.close()
  })

  it('requires the printed link, explains what to do without it, and accepts it once', async () => {
    const stranger = await visit(browser)
    await stranger.page.goto(`${berth.url}/console/`)
    await expect(stranger.page.getByRole('heading', { name: 'Sign in to berth' })).toBeVisible()
    expect((await stranger.context.request.get(`${berth.url}/console/api/feed`)).status()).toBe(401)
    expect(
      (
        await stranger.context.request.post(`${berth.url}/console/api/actions`, { headers: marked, data: cordon })
      ).status(),
    ).toBe(401)
    const owner = await visit(browser)
    await owner.page.goto(berth.link)
    await expect(owner.page.getByText('Live', { exact: true })).toBeVisible()
    await stranger.page.goto(berth.link)
    await expect(stranger.page.getByRole('heading', { name: 'Sign in to berth' })).toBeVisible()
    // A signed-in browser creates a link for another.
    await owner.page.getByRole('button', { name: 'Link' }).click()
    const link = await owner.page.getByLabel('Link for another browser').inputValue()
    await stranger.page.goto(link)
    await expect(stranger.page.getByText('Live', { exact: true })).toBeVisible()
    expect(owner.problems).toEqual([])
    await stranger.context.close()
    await owner.context.close()
  })

  it('rejects requests of other sites, with and without the cookie of a session', async () => {
    const { context, page } = await signedIn()
    const post = async (headers: Readonly<Record<string, string>>) =>
      (await context.request.post(`${berth.url}/console/api/actions`, { headers, data: cordon })).status()
    expect(await post({ ...marked, origin: 'https://evil.example' })).toBe(403)
    expect(await post({ ...marked, origin: 'null' })).toBe(403)
    expect(await post({ ...marked, 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await post({ ...marked, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await post(json)).toBe(403)
    expect(await post({ 'content-type': 'text/plain', 'x-berth-console': '1' })).toBe(403)
    const feed = await context.request.get(`${berth.url}/console/api/nodes/node-1`, {
      headers: { origin: 'https://evil.example' },
    })
    expect(feed.status()).toBe(403)
    const node = await berth.api<{ readonly spec: object }>('GET', '/api/v1/nodes/node-1')
    expect(node.spec).not.toHaveProperty('unschedulable')
    expect(await post({ ...marked, origin: berth.url })).toBe(200)
    await context.close()
    void page
  })

  it('the console cannot be framed, and loads nothing from other hosts and no inline code', async () => {
    const { context, page, problems } = await signedIn()
    const response = await page.goto(`${berth.url}/console/`)
    const headers = response?.headers() ?? {}
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    const cookies = await context.cookies()
    expect(cookies.map(({ httpOnly, sameSite, secure }) => ({ httpOnly, sameSite, secure }))).toEqual([
      { httpOnly: true, sameSite: 'Strict', secure: true },
    ])
    expect(problems).toEqual([])
    // Enforced by the browser: inline code that is added to the page does not run.
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))",
    )
    expect(await page.evaluate('window.ran')).toBeUndefined()
    await context.close()
  })

  it('reports a lost server, reconnects, and is still signed in', async () => {
    const { context, page, problems } = await signedIn()
    const { port } = berth
    await berth.stop()
    await expect(page.getByRole('alert')).toContainText('What you see is as it was then')
    await expect(page.getByText('Reconnecting…')).toBeVisible()
    await berth.start([], port)
    await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 60_000 })
    await expect(page.getByRole('alert')).toBeHidden()
    await page.getByRole('navigation').getByRole('link', { name: 'Nodes' }).click()
    await expect(page.getByRole('link', { name: 'node-3' })).toBeVisible()
    // The log of the browser contains only the connection errors of this time.
    expect(problems.filter((line) => !line.includes('net::ERR_'))).toEqual([])
    await context.close()
  })

  it('the console reports that it is behind the server', async () => {
    const { context, page } = await signedIn()
    berth.signal('SIGSTOP')
    await expect(page.getByText(/Reconnecting…|Behind by/).first()).toBeVisible({ timeout: 60_000 })
    berth.signal('SIGCONT')
    await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 60_000 })
    await context.close()
  })

  it('the console is read-only for a user who may only list nodes and pods, and denies access to a user who may not', async () => {
    const guarded = new Berth()
    const { context, page, problems } = await visit(browser)
    try {
      await guarded.start(['--ephemeral', '--nodes', '2', '--authorization-mode', 'RBAC'])
      const rules = [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list'] }]
      const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' }
      const binding = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'reader' },
        roleRef: role,
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
      }
      await guarded.apply(
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader', namespace: 'default' } },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reader' }, rules },
        binding,
      )
      const { status } = await guarded.api<{ readonly status: { readonly token: string } }>(
        'POST',
        '/api/v1/namespaces/default/serviceaccounts/reader/token',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      )
      const answer = await context.request.post(`${guarded.url}/console/api/link`, {
        headers: { ...marked, authorization: `Bearer ${status.token}` },
        data: {},
      })
      await page.goto(((await answer.json()) as { readonly link: string }).link)
      await expect(page.getByText('Live', { exact: true })).toBeVisible()
      await expect(page.getByText('read-only')).toBeVisible()
      await guarded.api('DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/reader')
      await page.reload()
      await expect(page.getByRole('heading', { name: 'Access denied' })).toBeVisible()
      await expect(page.getByRole('main')).toContainText(
        'user "system:serviceaccount:default:reader" cannot list nodes and pods, which the console requires',
      )
      expect(await seriousViolations(page)).toEqual([])
      await guarded.apply(binding)
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect(page.getByText('Live', { exact: true })).toBeVisible()
      // The browser itself logs that the server refused a request.
      expect(problems.filter((line) => !line.includes('403'))).toEqual([])
    } finally {
      await context.close()
      await guarded.close()
    }
  })

  async function signedIn() {
    const opened = await visit(browser)
    const { link } = await berth.consoleLink()
    await opened.page.goto(link)
    await expect(opened.page.getByText('Live', { exact: true })).toBeVisible({ timeout: 60_000 })
    return opened
  }
})
