#!/usr/bin/env bash
# Runs two ClickHouse servers of Debian's package on loopback, as the cluster "two",
# until it is interrupted; their data goes into DIR.
# usage: bench/store/engines/servers.sh DIR   ports 19000 and 19100
set -euo pipefail
[ $# -eq 1 ] || { sed -n 2,4p "$0" | cut -c3- >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
servers=()
trap 'kill "${servers[@]}"; wait' EXIT INT TERM
for port in 19000 19100; do
  at=$dir/$port
  mkdir -p "$at"
  cat > "$at/config.xml" << END
<yandex>
 <logger><level>warning</level><log>$at/log</log><errorlog>$at/errors</errorlog></logger>
 <tcp_port>$port</tcp_port><http_port>$((port + 1))</http_port><interserver_http_port>$((port + 2))</interserver_http_port>
 <listen_host>127.0.0.1</listen_host>
 <path>$at/data/</path><tmp_path>$at/tmp/</tmp_path><user_files_path>$at/files/</user_files_path>
 <mark_cache_size>268435456</mark_cache_size>
 <users_config>$at/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
 <remote_servers><two>
  <shard><replica><host>127.0.0.1</host><port>19000</port></replica></shard>
  <shard><replica><host>127.0.0.1</host><port>19100</port></replica></shard>
 </two></remote_servers>
</yandex>
END
  cat > "$at/users.xml" << END
<yandex>
 <profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
 <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
 <quotas><default></default></quotas>
</yandex>
END
  clickhouse-server --config-file="$at/config.xml" &
  servers+=($!)
done
wait
