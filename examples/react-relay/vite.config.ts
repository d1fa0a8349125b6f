import { defineConfig } from 'vite';

const TAG = /graphql`\s*(?:query|mutation|fragment) (\w+)[^`]*`/g;

export default defineConfig({
  plugins: [
    {
      // In place of Babel's plugin: each `graphql` tag becomes what relay-compiler has made of it.
      name: 'relay-artifacts',
      enforce: 'pre',
      transform(code, file) {
        if (!file.endsWith('.tsx')) return null;
        const imports: string[] = [];
        const compiled = code.replace(TAG, (_, name: string) => {
          imports.push(`import ${name}$ from './__generated__/${name}.graphql.ts';`);
          return `${name}$`;
        });
        return imports.length > 0 ? `${compiled}\n${imports.join('\n')}` : null;
      },
    },
  ],
});
