import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runCampaign } from './campaign.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../dist/cli.js', import.meta.url)))

// The long form is `npm run robustness`.
it.skipIf(!isBuilt || process.platform === 'win32')(
  'nothing acknowledged or shown is lost while the server is killed and its disk fails (needs a build)',
  { timeout: 120_000 },
  async () => {
    const { counts, problems } = await runCampaign({ seed: 'quick', segments: 1, segmentMs: 5000 })
    expect(problems).toEqual([])
    expect(counts.kills).toBeGreaterThan(0)
    expect(counts.acknowledged).toBeGreaterThan(0)
  },
)
