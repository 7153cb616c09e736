import type { UserConfig } from 'vite'

/** Builds one script and one style sheet for a page that contains them and opens from a disk. */
export function singleFile(folder: 'export' | 'report', name: string): UserConfig {
  return {
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      target: 'es2022',
      cssCodeSplit: false,
      reportCompressedSize: false,
      modulePreload: false,
      lib: {
        entry: `${folder}/main.tsx`,
        formats: ['iife'],
        name,
        fileName: () => `${folder}.js`,
        cssFileName: folder,
      },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  }
}
