import { defineConfig } from 'vite'

/** The console as one script and one style sheet, for a page that holds a cluster and opens from a disk. */
export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    reportCompressedSize: false,
    modulePreload: false,
    lib: {
      entry: 'export/main.tsx',
      formats: ['iife'],
      name: 'berthConsole',
      fileName: () => 'export.js',
      cssFileName: 'export',
    },
    rolldownOptions: { output: { codeSplitting: false } },
  },
})
