package service

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake makes the files that /proc has of a process.
func fake(t *testing.T, exe, cwd, cgroup string, env []string, args ...string) (proc string) {
	t.Helper()
	proc = t.TempDir()
	dir := filepath.Join(proc, "7")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"environ": strings.Join(env, "\x00") + "\x00", "cgroup": cgroup, "cmdline": strings.Join(append([]string{exe}, args...), "\x00") + "\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"exe": exe, "cwd": cwd} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return proc
}

const (
	nowhere = "0::/\n"
	pod     = "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b.slice/cri-containerd-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope\n"
	docker  = "0::/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope\n"
)

// What a process says of itself goes before what it runs in, and that before its command line.
func TestOrder(t *testing.T) {
	java := []string{"-jar", "/srv/checkout-2.3.1.jar"}
	unit := "0::/system.slice/shop.service\n"
	for name, c := range map[string]struct {
		cgroup string
		env    []string
		want   string
	}{
		"its own word":         {unit, []string{"OTEL_RESOURCE_ATTRIBUTES=service.name=other", "OTEL_SERVICE_NAME=checkout api"}, "checkout api"},
		"an attribute":         {unit, []string{"A=1", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment=live, service.name=check%20out"}, "check out"},
		"an empty word":        {unit, []string{"OTEL_SERVICE_NAME= "}, "shop"},
		"a unit before a pod":  {unit, []string{"POD_NAME=web-7d9c5b6f4d-x2x9z"}, "shop"},
		"a pod":                {pod, []string{"HOSTNAME=web-front-7d9c5b6f4d-x2x9z"}, "web-front"},
		"a pod by its word":    {docker, []string{"POD_NAME=db-0", "HOSTNAME=x"}, "db"},
		"a deployment":         {pod, []string{"OTEL_RESOURCE_ATTRIBUTES=k8s.deployment.name=api", "HOSTNAME=web-7d9c5b6f4d-x2x9z"}, "api"},
		"a daemon set":         {pod, []string{"HOSTNAME=node-exporter-x2x9z"}, "node-exporter"},
		"a cron job":           {pod, []string{"HOSTNAME=report-28471230-x2x9z"}, "report"},
		"a node's name":        {pod, []string{"HOSTNAME=ip-10-0-3-7.internal"}, "checkout"},
		"a name without a pod": {docker, []string{"HOSTNAME=web-7d9c5b6f4d-x2x9z"}, "checkout"},
		"nothing":              {nowhere, nil, "checkout"},
	} {
		if got := Of(fake(t, "/usr/lib/jvm/java-21/bin/java", "/", c.cgroup, c.env, java...), 7); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
	if got := Of(t.TempDir(), 7); got != "" {
		t.Errorf("a process that is gone is %q", got)
	}
}

func TestUnits(t *testing.T) {
	for cgroup, want := range map[string]string{
		"0::/system.slice/nginx.service\n":                                               "nginx",
		"0::/system.slice/system-postgresql.slice/postgresql@16-main.service\n":          "postgresql",
		"0::/system.slice/my\\x2dapp.service\n":                                          "my-app",
		"0::/system.slice/jenkins.service/workers/1\n":                                   "jenkins",
		"0::/../../system.slice/nginx.service\n":                                         "nginx",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/syncthing.service\n": "syncthing",
		"0::/user.slice/user-1000.slice/user@1000.service/init.scope\n":                  "",
		"0::/user.slice/user-1000.slice/session-2.scope\n":                               "",
		"0::/system.slice/cron.service\n":                                                "",
		docker:                                                                           "",
		"12:cpu:/system.slice/other.service\n1:name=systemd:/system.slice/web.service\n0::/system.slice/x.slice\n": "web",
	} {
		if got := Of(fake(t, "/usr/bin/prog", "/", cgroup, nil, "run"), 7); got != want {
			t.Errorf("%s: %q, not %q", cgroup, got, want)
		}
	}
}

func TestCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"java -Xmx1g -XX:+UseG1GC -cp /a.jar:/b.jar -Da=b org.example.Checkout --port 80":            "org.example.Checkout",
		"java -javaagent:/x.jar -jar /srv/search-service-1.12.0-SNAPSHOT.jar":                        "search-service",
		"java --add-opens java.base/java.lang=ALL-UNNAMED --module-path /m -m shop/org.example.Main": "shop/org.example.Main",
		"java @args.txt Main": "Main",
		"java -version":       "",
		"python3.11 -u -W ignore /opt/report.py --day 3": "report.py",
		"python3 -m celery.__main__ -A x":                "celery",
		"python3 -c print(1)":                            "",
		"python3 -":                                      "",
		"python3 app.py":                                 "shop/app.py",
		"python3 /srv/billing/manage.py runserver":       "billing/manage.py",
		"node --max-old-space-size=4096 -r ./hook.js /srv/web/server.js": "web/server.js",
		"node --require=./hook.js batch.js":                              "batch.js",
		"node -e 1":                                                      "",
		"ruby3.1 -I lib bin/rails server":                                "rails",
		"perl -w -I /x /usr/bin/amavisd":                                 "amavisd",
		"php8.2 -d memory_limit=1G artisan queue:work":                   "artisan",
		"php -f /srv/index.php":                                          "srv/index.php",
		"php -S 0.0.0.0:80 -t public":                                    "",
		"dotnet /app/Shop.Api.dll":                                       "Shop.Api",
		"bash /usr/local/bin/backup.sh":                                  "backup.sh",
		"bash -c sleep":                                                  "",
		"deno run --allow-net /srv/feed.ts":                              "feed.ts",
		"nginx -g daemon":                                                "",
		"java":                                                           "",
	} {
		args := strings.Fields(line)
		if got := Of(fake(t, "/usr/bin/"+args[0], "/home/me/shop", nowhere, nil, args[1:]...), 7); got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}

// This very process can be asked.
func TestItself(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "")
	_ = Of("/proc", uint32(os.Getpid())) // whatever it is: it ends
	if got := clean("a\nb\x00" + strings.Repeat("ü", 200)); len(got) > maxName || !strings.HasPrefix(got, "abü") {
		t.Errorf("%q", got)
	}
}
