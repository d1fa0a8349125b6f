ARG NODE_VERSION=20

FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

# Debian's slim image has flock (util-linux), which locks the embedded database.
FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json tsconfig.json LICENSE ./
COPY bin ./bin
COPY data ./data
COPY migrations ./migrations
COPY src ./src
RUN mkdir /data && chown node:node /data && ln -s /app/bin/cardledger.js /usr/local/bin/cardledger
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "tsx", "--max-semi-space-size=64", "src/main.ts"]
