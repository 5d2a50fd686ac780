# One image for api, worker, migrate and the trial's simulator; docker-compose.yml names the command.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY . .
RUN npm run build

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/dist/compile-cache
WORKDIR /app
COPY --from=build /app ./
USER node
STOPSIGNAL SIGTERM
EXPOSE 3000 9464
CMD ["node", "api/main.ts"]
