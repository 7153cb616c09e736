// `npm run build -- --single`: berth as one executable file, for machines without npm. It needs Node only.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundleForOneFile } from './build.mjs'

// Sources, types, and native code for single versions of Node, beside that for all versions.
const unneeded = /\.(md|map|c|cc|cpp|h|ts|cts|gyp)$|^(src|dependencies|dict)\/|^rollup|\.abi\d+\./

/** Writes the file into a folder and returns its path. The package in dist/ must be built. */
export async function buildSingleFile(root, folder = join(root, 'build')) {
  const files = new Map([['package.json', readFileSync(join(root, 'package.json'))]])
  for (const { path, contents } of await bundleForOneFile(root)) files.set(relative(join(root, 'dist'), path), contents)
  for (const folder of ['console', 'report', 'export']) addFolder(files, join(root, 'dist', folder), folder)
  for (const name of ['descriptions.json.gz', 'commands.json.gz'])
    files.set(name, readFileSync(join(root, 'dist', name)))
  // Native code cannot be bundled, so the library of the journal and its dependencies are included as they are.
  for (const name of withDependencies(root, ['lmdb'])) {
    const isNeeded = (path) => !unneeded.test(path)
    addFolder(files, join(root, 'node_modules', name), `node_modules/${name}`, isNeeded)
  }
  const archive = archiveOf(files)
  const hash = createHash('sha256').update(archive).digest('hex').slice(0, 20)
  const launcher = readFileSync(join(root, 'scripts/single-file-launcher.mjs'), 'utf8').replace("'HASH'", `'${hash}'`)
  const file = join(folder, `berth-${process.platform}-${process.arch}.mjs`)
  mkdirSync(folder, { recursive: true })
  // The archive is a comment, which Node skips; the launcher reads it only if it is not unpacked yet.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${launcher}//${archive.toString('base64')}\n`)
  chmodSync(draft, 0o755)
  renameSync(draft, file)
  return file
}

/** An index of the files in JSON, a newline, and their contents; compressed. */
function archiveOf(files) {
  const index = [...files].map(([path, contents]) => [path, contents.length])
  return gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...files.values()]), { level: 9 })
}

function addFolder(files, folder, as, isNeeded = () => true) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  for (const path of paths.filter((each) => isNeeded(each) && !each.endsWith('.map')).sort())
    files.set(`${as}/${path}`, readFileSync(join(folder, path)))
}

/** Packages and all that they depend on, as far as they are installed: native code of other platforms is not. */
function withDependencies(root, names, found = new Set()) {
  for (const name of names) {
    const file = join(root, 'node_modules', name, 'package.json')
    if (found.has(name) || !existsSync(file)) continue
    found.add(name)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
    withDependencies(root, [...Object.keys(dependencies), ...Object.keys(optionalDependencies)], found)
  }
  return [...found].sort()
}
