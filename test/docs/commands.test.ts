import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exists, filesUnder, read, root } from '../tidy/project.ts'
import { missingFrom, readPage } from './page.ts'

const pages = filesUnder('docs', /\.md$/).filter((page) => readPage(read(page)).runs.length > 0)

/** A folder with the cluster of the pages and the files that the page shows. */
function folderOf(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-docs-'))
  cpSync(join(root, 'docs/how-to/cluster.json'), join(folder, 'cluster.json'))
  for (const [name, text] of readPage(read(page)).files) writeFileSync(join(folder, name), text)
  return folder
}

function run(script: string, cwd: string): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, NO_COLOR: '1', HOME: cwd }
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, output: output.join('') }))
  })
}

describe('the commands of the documentation', () => {
  test('finds pages with commands', () => {
    expect(pages.length).toBeGreaterThan(0)
  })

  // The commands run the build.
  test.skipIf(!exists('dist/cli.js')).concurrent.each(pages)(
    'runs the commands of %s with the documented output',
    { timeout: 120_000 },
    async (page) => {
      const cwd = folderOf(page)
      try {
        for (const { script, exitCode, promised, line } of readPage(read(page)).runs) {
          const result = await run(script, cwd)
          expect(result, `${page}:${line}`).toMatchObject({ exitCode })
          expect(missingFrom(result.output, promised), `${page}:${line}, which printed\n${result.output}`).toEqual([])
        }
      } finally {
        rmSync(cwd, { recursive: true, force: true })
      }
    },
  )
})
